/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An empty program on the tracepoint that the log tap's sys_exit backend uses: its cost is that of being called.
 */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sys_exit")
int ftap_0_sysexit(void* ctx) {
  return 0;
}
