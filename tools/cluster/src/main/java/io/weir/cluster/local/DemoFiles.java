package io.weir.cluster.local;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Upstream;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a demo cluster whose parts run elsewhere, for example in containers: {@code policy.yaml}, {@code
 * node.conf}, {@code redis.conf} and {@code cluster.json}, with keys, tokens and a password that are generated here.
 */
public final class DemoFiles {
  private static final int TOKEN_BYTES = 16;
  private static final int SECRET_BYTES = 24;
  private static final Pattern PASSWORD = Pattern.compile("://:([^@]+)@");

  private DemoFiles() {}

  /**
   * The content of the files.
   *
   * @param nodes base URLs that callers use
   * @param admins base URLs that operators use
   * @param redisUri the address of Redis for the nodes, which gets a password
   * @param upstream the upstream of the nodes
   * @param policy the policy to start from; its demo keys get secrets of their own
   * @param keys the list of demo keys
   * @param directory the directory for the files
   */
  public record Plan(
      List<String> nodes,
      List<String> admins,
      String redisUri,
      String upstream,
      Path policy,
      Path keys,
      Path directory) {}

  /**
   * Writes the files; existing files stay, with their keys and tokens.
   *
   * @throws IOException if they cannot be written, or the policy cannot be read
   */
  public static ClusterFile write(Plan plan) throws IOException {
    Path clusterFile = plan.directory().resolve("cluster.json");
    Path redisFile = plan.directory().resolve("redis.conf");
    if (Files.exists(clusterFile)) {
      ClusterFile cluster = ClusterFile.read(clusterFile);
      if (!Files.exists(redisFile)) {
        Files.writeString(redisFile, redisConfig(cluster));
      }
      return cluster;
    }
    Files.createDirectories(plan.directory());
    String password = random(SECRET_BYTES);
    JsonArray keys = DemoKeyList.read(plan.keys());
    Path policyFile = plan.directory().resolve("policy.yaml");
    Files.writeString(policyFile, policyText(plan, keys));
    Policy policy = PolicyDocuments.read(policyFile).policy();
    ClusterFile cluster = new ClusterFile(
        plan.nodes(),
        plan.admins(),
        ClusterFile.describe(keys, policy),
        plan.redisUri().replaceFirst("://", "://:" + password + "@"),
        random(TOKEN_BYTES),
        random(TOKEN_BYTES),
        ProcessHandle.current().pid());
    Files.writeString(redisFile, redisConfig(cluster));
    Files.writeString(plan.directory().resolve("node.conf"), nodeConfig(policyFile, cluster));
    cluster.write(clusterFile); // written last, so that all files exist if this one does
    return cluster;
  }

  // Gives each key a new secret, in the list, and its hash in the text.
  private static String policyText(Plan plan, JsonArray keys) throws IOException {
    String text = PolicyDocuments.text(plan.policy());
    Policy policy = PolicyDocuments.parse(plan.policy().toString(), text).policy();
    for (Object entry : keys) {
      JsonObject key = (JsonObject) entry;
      String[] parts = key.getString("key").split("\\.", 2);
      String secret = random(SECRET_BYTES);
      text = text.replace(
          SecretHash.of(parts[1]).formatted(), SecretHash.of(secret).formatted());
      key.put("key", parts[0] + "." + secret);
    }
    String upstream =
        policy.routing().upstream().map(Upstream::uri).orElseThrow().toString();
    return text.replace(upstream, plan.upstream());
  }

  // Files of an earlier version have no password.
  private static String redisConfig(ClusterFile cluster) {
    Matcher password = PASSWORD.matcher(cluster.redis());
    return password.find()
        ? "requirepass %s\n".formatted(password.group(1))
        : "protected-mode no\n";
  }

  private static String nodeConfig(Path policyFile, ClusterFile cluster) {
    return """
        redis-uri = %s
        policy = %s
        admin-token = %s
        service-token = %s
        """.formatted(
            cluster.redis(),
            policyFile.toAbsolutePath(),
            SecretHash.of(cluster.adminToken()).formatted(),
            SecretHash.of(cluster.serviceToken()).formatted());
  }

  private static String random(int bytes) {
    byte[] random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }
}
