package io.weir.state.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads states as an operator does: by {@code lua/show.lua}, unchanged. */
final class States {
  private static final Path SCRIPT = Path.of("../lua/show.lua");

  private States() {}

  /** The fields of a state and their raw numbers; empty if there is no such state. */
  static Map<String, String> show(RedisClusterCommands<String, String> commands, String key) {
    List<String> reply = commands.eval(script(), ScriptOutputType.MULTI, key);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      fields.put(reply.get(i), reply.get(i + 1).split(" ", 2)[0]);
    }
    return fields;
  }

  private static String script() {
    try {
      return Files.readString(SCRIPT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
