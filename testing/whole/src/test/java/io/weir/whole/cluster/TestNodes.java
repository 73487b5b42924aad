package io.weir.whole.cluster;

import io.weir.cluster.local.NodeProcess;
import io.weir.testkit.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nodes of their own processes, for tests. */
final class TestNodes {
  static final String SERVICE_TOKEN = "service-token-of-the-tests";

  private TestNodes() {}

  /** Starts nodes with one Redis and one policy, and waits until they serve. The caller closes them. */
  static List<NodeProcess> start(
      int count, Path folder, String redisUri, Path policy, int eventLoops) throws Exception {
    List<NodeProcess> nodes = new ArrayList<>();
    Map<String, String> environment = new HashMap<>(Map.of(
        "WEIR_REDIS_URI",
        redisUri,
        "WEIR_POLICY",
        policy.toString(),
        "WEIR_SERVICE_TOKEN",
        SERVICE_TOKEN,
        "WEIR_EVENT_LOOPS",
        Integer.toString(eventLoops)));
    for (int i = 0; i < count; i++) {
      List<Integer> ports = FreePorts.some(2);
      NodeProcess node = NodeProcess.start(
          ports.get(0),
          ports.get(1),
          environment,
          folder.resolve("node-" + ports.get(0) + ".log"),
          NodeProcess.Archiving.OFF);
      nodes.add(node);
    }
    for (NodeProcess node : nodes) {
      node.awaitReady();
    }
    return nodes;
  }
}
