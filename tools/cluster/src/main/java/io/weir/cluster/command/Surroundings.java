package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.state.connection.RedisAddress;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The place in which the reader of a printed text runs commands: in a clone, with an unpacked archive, or outside of a container.
 *
 * @param home the clone, or the folder of the archive
 * @param run the folder with the description of the running cluster
 * @param container the name of the container in which this runs
 */
record Surroundings(Path home, Path run, Optional<String> container, boolean hasRedisCli) {
  private static final Pattern PLAIN = Pattern.compile("[\\p{Alnum}_@%+=:,./-]+");

  static Surroundings of(Map<String, String> environment, Path run, boolean isContainer) {
    return new Surroundings(
        Path.of(environment.getOrDefault("WEIR_HOME", ".")),
        run,
        Optional.ofNullable(environment.get("HOSTNAME")).filter(name -> isContainer),
        !isContainer
            && Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-cli"))));
  }

  /** The beginning of a command line of {@code weir} with the right to operate this cluster. */
  String weir(ClusterFile cluster) {
    String token = "WEIR_ADMIN_TOKEN=" + cluster.adminToken();
    if (container.isPresent()) {
      String redis = RedisAddress.parse(cluster.redis()).withoutSecrets();
      return "docker exec -e %s -e WEIR_REDIS_URI=%s %s weir"
          .formatted(token, redis, container.get());
    }
    Path script = home.resolve("scripts/weir");
    String program = Files.exists(script) ? quoted(script) : "weir";
    return "%s %s%s".formatted(token, elsewhere(cluster), program);
  }

  // Commands find a cluster by its description in the usual folder alone.
  private String elsewhere(ClusterFile cluster) {
    String redis = RedisAddress.parse(cluster.redis()).withoutSecrets();
    return run.equals(home.resolve("run"))
        ? ""
        : "WEIR_NODE=%s WEIR_REDIS_URI=%s ".formatted(cluster.admins().get(0), quoted(redis));
  }

  /** A word of a shell that is this text. */
  static String quoted(Object text) {
    String word = text.toString();
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
