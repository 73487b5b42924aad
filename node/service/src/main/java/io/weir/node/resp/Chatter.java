package io.weir.node.resp;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Locale;

/** The commands that clients of Redis send by themselves, when they connect. */
final class Chatter {
  private static final String SERVER = "weir";
  /** The release of Redis whose clients are served. */
  private static final String COMPATIBLE = "7.0.0";

  private static final int HELLO_FIELDS = 6;

  private Chatter() {}

  static Buffer answer(String command, List<String> words) {
    return switch (command) {
      case "SELECT" -> select(words);
      case "CLIENT" -> client(words);
      case "COMMAND", "CONFIG" -> RespAnswer.emptyArray();
      case "ECHO" -> RespAnswer.text(words.size() > 1 ? words.get(1) : "");
      case "INFO" ->
        RespAnswer.text(
            "# Server\r\nserver:" + SERVER + "\r\nredis_version:" + COMPATIBLE + "\r\n");
      default ->
        throw RespException.of(
            "ERR unknown command (expected: WEIR.CHECK, CL.THROTTLE, or one that clients send when they connect)");
    };
  }

  static Buffer hello(int version) {
    return new RespAnswer(version)
        .map(HELLO_FIELDS)
        .add("server")
        .add(SERVER)
        .add("version")
        .add(COMPATIBLE)
        .add("proto")
        .add(version)
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

  private static Buffer client(List<String> words) {
    String what = words.size() > 1 ? words.get(1).toUpperCase(Locale.ROOT) : "";
    return switch (what) {
      case "SETNAME", "SETINFO", "NO-EVICT", "NO-TOUCH" -> RespAnswer.ok();
      case "GETNAME" -> RespAnswer.text("");
      default -> throw RespException.of("ERR unknown subcommand of CLIENT");
    };
  }
}
