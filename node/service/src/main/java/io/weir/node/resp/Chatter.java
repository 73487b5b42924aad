package io.weir.node.resp;

import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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

  /** The commands that a client may send before it has shown the service token. */
  static final Set<String> WITHOUT_TOKEN = Set.of("AUTH", "HELLO", "PING", "QUIT");

  private static final Set<String> ALL_SECTIONS = Set.of("all", "default", "everything");

  private Chatter() {}

  /** The answer to one of them; throws {@link RespException} if it is none. */
  static Buffer answer(List<String> words, ConnectedClient client, ShownToken token) {
    return switch (words.get(0).toUpperCase(Locale.ROOT)) {
      case "AUTH" -> authenticate(words, token);
      case "HELLO" -> hello(words, client, token);
      case "PING" -> words.size() > 1 ? RespAnswer.text(words.get(1)) : RespAnswer.pong();
      case "QUIT" -> RespAnswer.ok();
      case "SELECT" -> select(words);
      case "CLIENT" -> client.answer(words);
      case "COMMAND" -> command(words, client.version());
      case "CONFIG" -> RespAnswer.emptyArray();
      case "ECHO" -> RespAnswer.text(words.size() > 1 ? words.get(1) : "");
      case "INFO" -> info(words, client.port());
      case "MULTI", "EXEC", "DISCARD", "WATCH" ->
        throw RespException.of(
            "ERR no transactions here (expected: a pipeline without MULTI; of redis-py, with transaction=False)");
      default ->
        throw RespException.of(
            "ERR unknown command (expected: WEIR.CHECK, CL.THROTTLE, or one that clients send when they connect)");
    };
  }

  // AUTH token, or AUTH user token: the name of the user says nothing here.
  private static Buffer authenticate(List<String> words, ShownToken token) {
    if (words.size() < 2 || words.size() > 3) {
      throw RespException.of("ERR wrong number of arguments for 'auth' command");
    }
    token.show(words.get(words.size() - 1));
    return RespAnswer.ok();
  }

  // HELLO [version [AUTH user token] [SETNAME name]]
  private static Buffer hello(List<String> words, ConnectedClient client, ShownToken token) {
    int asked = words.size() > 1 ? RespAnswer.version(words.get(1)) : client.version();
    Optional<String> name = Optional.empty();
    int at = 2;
    while (at < words.size()) {
      String option = words.get(at).toUpperCase(Locale.ROOT);
      if (option.equals("AUTH") && at + 2 < words.size()) {
        token.show(words.get(at + 2));
        at += 3;
      } else if (option.equals("SETNAME") && at + 1 < words.size()) {
        name = Optional.of(words.get(at + 1));
        at += 2;
      } else {
        throw RespException.of("ERR syntax error in HELLO");
      }
    }
    if (!token.isShown()) {
      throw RespException.of("NOAUTH HELLO must be called with AUTH, or after it");
    }
    name.ifPresent(client::rename);
    client.speak(asked);
    return new RespAnswer(asked)
        .map(HELLO_FIELDS)
        .add("server")
        .add(SERVER)
        .add("version")
        .add(COMPATIBLE)
        .add("proto")
        .add(asked)
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
