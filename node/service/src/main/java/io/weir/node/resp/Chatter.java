package io.weir.node.resp;

import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The commands that clients of Redis send by themselves, when they connect. */
final class Chatter {
  private static final String SERVER = "weir";
  /** The release of Redis whose clients are served. */
  private static final String COMPATIBLE = "7.0.0";

  private static final int HELLO_FIELDS = 7;
  private static final List<String> COMMANDS = List.of(
      "auth",
      "cl.throttle",
      "client",
      "command",
      "config",
      "echo",
      "hello",
      "info",
      "ping",
      "quit",
      "select",
      "weir.check");

  private static final Set<String> ALL_SECTIONS = Set.of("all", "default", "everything");

  private Chatter() {}

  static Buffer answer(List<String> words, ConnectedClient client, int version) {
    return switch (words.get(0).toUpperCase(Locale.ROOT)) {
      case "SELECT" -> select(words);
      case "CLIENT" -> client.answer(words, version);
      case "COMMAND" -> command(words, version);
      case "CONFIG" -> RespAnswer.emptyArray();
      case "ECHO" -> RespAnswer.text(words.size() > 1 ? words.get(1) : "");
      case "INFO" -> info(words, client.port());
      default ->
        throw RespException.of(
            "ERR unknown command (expected: WEIR.CHECK, CL.THROTTLE, or one that clients send when they connect)");
    };
  }

  static Buffer hello(ConnectedClient client, int version) {
    return new RespAnswer(version)
        .map(HELLO_FIELDS)
        .add("server")
        .add(SERVER)
        .add("version")
        .add(COMPATIBLE)
        .add("proto")
        .add(version)
        .add("id")
        .add(client.id())
        .add("mode")
        .add("standalone")
        .add("role")
        .add("master")
        .add("modules")
        .add(List.of())
        .bytes();
  }

  private static Buffer select(List<String> words) {
    if (words.size() == 2 && words.get(1).equals("0")) {
      return RespAnswer.ok();
    }
    throw RespException.of("ERR DB index is out of range");
  }

  // Clients do without the descriptions of commands.
  private static Buffer command(List<String> words, int version) {
    String subcommand = words.size() > 1 ? words.get(1).toUpperCase(Locale.ROOT) : "";
    return switch (subcommand) {
      case "COUNT" -> new RespAnswer(version).add(COMMANDS.size()).bytes();
      case "LIST" -> new RespAnswer(version).add(COMMANDS).bytes();
      default -> RespAnswer.emptyArray();
    };
  }

  // The fields that clients read, and that are true of a node.
  private static Buffer info(List<String> words, int port) {
    Map<String, String> sections = new LinkedHashMap<>();
    sections.put(
        "Server",
        "server:%s\r\nredis_version:%s\r\nredis_mode:standalone\r\ntcp_port:%d\r\n"
            .formatted(SERVER, COMPATIBLE, port));
    sections.put("Persistence", "loading:0\r\n");
    sections.put("Replication", "role:master\r\n");
    sections.put("Cluster", "cluster_enabled:0\r\n");
    List<String> wanted = words.subList(1, words.size());
    return RespAnswer.text(sections.entrySet().stream()
        .filter(section -> wanted.isEmpty() || wanted.stream().anyMatch(isOrHas(section.getKey())))
        .map(section -> "# " + section.getKey() + "\r\n" + section.getValue())
        .collect(Collectors.joining("\r\n")));
  }

  private static Predicate<String> isOrHas(String section) {
    return name ->
        name.equalsIgnoreCase(section) || ALL_SECTIONS.contains(name.toLowerCase(Locale.ROOT));
  }
}
