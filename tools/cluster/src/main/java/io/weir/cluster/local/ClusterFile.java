package io.weir.cluster.local;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Demand;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * {@code run/cluster.json}: the addresses of a local cluster, and its demo keys.
 *
 * @param nodes base URLs for callers
 * @param admins base URLs for operators: policy, health and metrics
 * @param redis the URI of Redis as nodes use it, with a password if there is one
 * @param pid the process that started the cluster
 */
public record ClusterFile(
    List<String> nodes,
    List<String> admins,
    List<DemoKey> keys,
    String redis,
    String adminToken,
    String serviceToken,
    long pid) {

  /**
   * A key for trying things out, with its tightest limit.
   *
   * @param key the whole key, its secret included
   * @param method the method of a request of the operation
   * @param path the path of a request of the operation
   */
  public record DemoKey(
      String key,
      String tenant,
      String plan,
      String operation,
      String method,
      String path,
      double opsPerSec,
      long burstMs) {}

  /**
   * Reads the file.
   *
   * @throws IOException if it does not exist, so that no cluster runs
   */
  public static ClusterFile read(Path file) throws IOException {
    JsonObject json = json(file);
    List<DemoKey> keys = new ArrayList<>();
    for (Object entry : json.getJsonArray("keys")) {
      JsonObject key = (JsonObject) entry;
      keys.add(new DemoKey(
          key.getString("key"),
          key.getString("tenant"),
          key.getString("plan"),
          key.getString("operation"),
          key.getString("method"),
          key.getString("path"),
          key.getDouble("opsPerSec"),
          key.getLong("burstMs")));
    }
    return new ClusterFile(
        json.getJsonArray("nodes").stream().map(String::valueOf).toList(),
        json.getJsonArray("admins").stream().map(String::valueOf).toList(),
        keys,
        json.getString("redis"),
        json.getString("adminToken"),
        json.getString("serviceToken"),
        json.getLong("pid"));
  }

  /**
   * Reads the file of a running cluster.
   *
   * @throws IOException if none runs; the message says what to do
   */
  public static ClusterFile ofRunning(Path directory) throws IOException {
    Path file = directory.resolve("cluster.json");
    if (!Files.exists(file)) {
      throw new IOException(
          "no cluster runs here, there is no %s (weir up, or scripts/up --detach, starts one)"
              .formatted(file));
    }
    return read(file);
  }

  /** The failure of a start beside this file; an archive has no scripts, so it says what they do. */
  static IOException taken(Path file) {
    return new IOException(
        ("%s is there already. If a cluster runs, end it: Ctrl-C, or kill PID with the pid in that file. If there is"
                + " no such process, delete the file. In a clone, scripts/down does both.")
            .formatted(file));
  }

  /**
   * Returns one of its keys.
   *
   * @throws IllegalArgumentException if it has none with this id
   */
  public DemoKey key(String id) {
    return keys.stream()
        .filter(one -> one.key().startsWith(id + "."))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("cluster.json has no key '%s'".formatted(id)));
  }

  /** Writes the file; a reader sees the whole of it or nothing. */
  void write(Path file) throws IOException {
    JsonArray keyArray = new JsonArray();
    keys.forEach(key -> keyArray.add(new JsonObject()
        .put("key", key.key())
        .put("tenant", key.tenant())
        .put("plan", key.plan())
        .put("operation", key.operation())
        .put("method", key.method())
        .put("path", key.path())
        .put("opsPerSec", key.opsPerSec())
        .put("burstMs", key.burstMs())));
    JsonObject json = new JsonObject()
        .put("nodes", new JsonArray(nodes))
        .put("admins", new JsonArray(admins))
        .put("keys", keyArray)
        .put("redis", redis)
        .put("adminToken", adminToken)
        .put("serviceToken", serviceToken)
        .put("pid", pid);
    Path draft = file.resolveSibling(file.getFileName() + ".draft");
    Files.writeString(draft, json.encodePrettily() + "\n");
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The keys of a list such as {@code examples/keys.json}, with their limits by the policy. */
  static List<DemoKey> describe(Path list, Policy policy) throws IOException {
    return describe(DemoKeyList.read(list), policy);
  }

  /** The same for a parsed list. */
  static List<DemoKey> describe(JsonArray list, Policy policy) {
    List<DemoKey> keys = new ArrayList<>();
    for (Object entry : list) {
      JsonObject key = (JsonObject) entry;
      String text = key.getString("key");
      policy
          .subject(text.substring(0, text.indexOf('.')))
          .flatMap(subject -> describe(key, subject))
          .ifPresent(keys::add);
    }
    return keys;
  }

  private static Optional<DemoKey> describe(JsonObject key, Subject subject) {
    String operation = key.getString("operation");
    if (!(subject.plan().limit(operation) instanceof Limited limited)) {
      return Optional.empty();
    }
    Demand tightest = limited.demands().stream()
        .min(Comparator.comparingDouble(ClusterFile::opsPerSec))
        .orElseThrow();
    return Optional.of(new DemoKey(
        key.getString("key"),
        subject.tenant(),
        subject.plan().name(),
        operation,
        key.getString("method"),
        key.getString("path"),
        opsPerSec(tightest),
        tightest.bucket().burstMillis()));
  }

  private static double opsPerSec(Demand demand) {
    return demand.bucket().rate().opsPerSec() / demand.logicalOperations();
  }

  private static JsonObject json(Path file) throws IOException {
    try {
      return new JsonObject(Files.readString(file));
    } catch (DecodeException e) {
      throw new IOException("%s is no JSON: %s".formatted(file, e.getMessage()), e);
    }
  }
}
