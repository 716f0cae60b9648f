// The control plane of a cluster in one program, as far as tests of flowtap need one: the first argument says which part runs.
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: control_plane etcd|kube-apiserver|kube-scheduler OPTION...")
		os.Exit(2)
	}
	// Each part reads its options itself and takes its own name for the program's.
	os.Args = os.Args[1:]
	switch part := os.Args[0]; part {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	default:
		fmt.Fprintf(os.Stderr, "error: there is no part %q\n", part)
		os.Exit(2)
	}
}
