#include "tests/kube/cluster.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/net/http_client.hpp"
#include "tests/support/net/tls_pair.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr const char* kToken = "flowtaps-own";
constexpr const char* kCertificate = "apiserver.crt";  // the API server makes it at its start

std::string local(std::uint16_t port, const char* scheme = "http") {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(port);
}

std::vector<std::string> etcd_words(const ScratchRoot& root, std::uint16_t clients, std::uint16_t peers) {
  return {Cluster::program(),
          "etcd",
          "--data-dir=" + root.file("etcd"),
          "--listen-client-urls=" + local(clients),
          "--advertise-client-urls=" + local(clients),
          "--listen-peer-urls=" + local(peers),
          "--initial-advertise-peer-urls=" + local(peers),
          "--initial-cluster=default=" + local(peers),
          "--unsafe-no-fsync",
          "--log-level=error"};
}

std::vector<std::string> server_words(const ScratchRoot& root, std::uint16_t etcd, std::uint16_t port) {
  return {Cluster::program(),
          "kube-apiserver",
          "--etcd-servers=" + local(etcd),
          "--bind-address=127.0.0.1",
          "--secure-port=" + std::to_string(port),
          "--cert-dir=" + root.file("certificates"),
          "--service-account-key-file=" + root.file("accounts.crt"),
          "--service-account-signing-key-file=" + root.file("accounts.key"),
          "--service-account-issuer=https://kubernetes.default",
          "--service-cluster-ip-range=10.96.0.0/16",
          "--authorization-mode=RBAC",
          "--token-auth-file=" + root.write("tokens.csv", std::string(kToken) + ",admin,1,system:masters\n"),
          "--disable-admission-plugins=ServiceAccount"};
}

}  // namespace

std::string Cluster::program() {
  return paths::in_sources("build/kube/control_plane");
}

Cluster::Cluster(const ScratchRoot& root) : root_(root), port_(free_port()) {
  write_tls_pair(root.file("accounts.crt"), root.file("accounts.key"), "accounts");
  const std::uint16_t clients = free_port();
  const auto run = [&root](std::vector<std::string> words, const std::string& name) {
    return std::make_unique<Process>(
        Command{.argv = std::move(words), .out = root.file(name + ".out"), .err = root.file(name + ".err")});
  };
  etcd_ = run(etcd_words(root, clients, free_port()), "etcd");
  server_ = run(server_words(root, clients, port_), "apiserver");
  // It makes the namespace and the classes of priority itself, a moment after it is ready.
  const bool ready = eventually([this] {
    return !server_->running() ||
           (get("/readyz").status == 200 && get("/api/v1/namespaces/default").status == 200 &&
            get("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical").status == 200);
  });
  if (!ready || !server_->running())
    throw std::runtime_error("the API server did not start: " + server_->last_words() + etcd_->last_words());
}

Cluster::Answer Cluster::ask(const std::string& method, const std::string& path,
                             const json::value& body) const {
  static int number = 0;
  const std::string answer = "answer." + std::to_string(++number);
  std::vector<std::string> words{"/usr/bin/curl", "--silent",
                                 "--max-time",    "20",
                                 "--cacert",      root_.file(std::string("certificates/") + kCertificate),
                                 "--request",     method,
                                 "--write-out",   "\n%{http_code}",
                                 "--header",      std::string("Authorization: Bearer ") + kToken};
  Command command{.argv = {}, .out = root_.file(answer), .err = root_.file("curl.err")};
  if (!body.is_null()) {
    command.in = root_.write("request", json::serialize(body));
    const char* type = method == "PATCH" ? "application/merge-patch+json" : "application/json";
    words.insert(words.end(), {"--header", std::string("Content-Type: ") + type, "--data-binary", "@-"});
  }
  words.push_back(local(port_, "https") + path);
  command.argv = std::move(words);
  (void)Process(command).wait();
  const std::string text = root_.read(answer);
  fs::remove(root_.file(answer));
  Answer out;
  const std::size_t code = text.rfind('\n');
  if (code == std::string::npos) return out;
  out.status = std::stoi("0" + text.substr(code + 1));
  json::error_code error;
  out.body = json::parse(text.substr(0, code), error);
  return out;
}

void Cluster::must(const std::string& method, const std::string& path, const json::value& body) const {
  const Answer answer = ask(method, path, body);
  if (answer.status < 200 || answer.status > 299)
    throw std::runtime_error(method + ' ' + path + " is answered " + std::to_string(answer.status) + ' ' +
                             json::serialize(answer.body));
}

void Cluster::create(const std::string& path, const json::object& object) const {
  must("POST", path, object);
}

void Cluster::patch(const std::string& path, const json::object& merge) const {
  must("PATCH", path, merge);
}

void Cluster::remove(const std::string& path) const {
  must("DELETE", path, json::object{{"gracePeriodSeconds", 0}});
}

// A new node has a taint until a controller finds it ready. There is none here.
void Cluster::add_node(const std::string& name, json::object resources, const json::object& labels,
                       const json::array& taints) const {
  json::object all{{"kubernetes.io/hostname", name}};
  for (const auto& [key, value] : labels) all[key] = value;
  create("/api/v1/nodes", {{"metadata", {{"name", name}, {"labels", all}}}});
  resources["pods"] = "110";
  patch("/api/v1/nodes/" + name + "/status",
        {{"status",
          {{"capacity", resources},
           {"allocatable", resources},
           {"conditions",
            {{{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}, {"message", "ready"}}}}}}});
  patch("/api/v1/nodes/" + name, {{"spec", {{"taints", taints}}}});
}

std::vector<std::string> Cluster::scheduler_words(const std::string& folder,
                                                  const std::string& seen_as) const {
  fs::create_directories(folder);
  fs::copy_file(root_.file(std::string("certificates/") + kCertificate), folder + '/' + kCertificate,
                fs::copy_options::overwrite_existing);
  const auto write = [&folder](const char* name, const json::object& object) {
    std::ofstream(folder + '/' + name) << json::serialize(object);
  };
  write("access",
        {{"apiVersion", "v1"},
         {"kind", "Config"},
         {"clusters",
          {{{"name", "c"},
            {"cluster", {{"server", local(port_, "https")}, {"certificate-authority", kCertificate}}}}}},
         {"users", {{{"name", "u"}, {"user", {{"token", kToken}}}}}},
         {"contexts", {{{"name", "x"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}}},
         {"current-context", "x"}});
  write("configuration", {{"apiVersion", "kubescheduler.config.k8s.io/v1"},
                          {"kind", "KubeSchedulerConfiguration"},
                          {"clientConnection", {{"kubeconfig", seen_as + "/access"}}},
                          {"leaderElection", {{"leaderElect", false}}},
                          {"podMaxBackoffSeconds", 1}});
  return {"kube-scheduler", "--config=" + seen_as + "/configuration", "--secure-port=0"};
}

}  // namespace flowtap::test
