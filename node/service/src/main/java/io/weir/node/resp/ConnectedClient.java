package io.weir.node.resp;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The client of one connection, as {@code CLIENT} describes it: by its address and the names that it gave itself. Other
 * connections are not shown. Mutable; owned by its connection.
 */
final class ConnectedClient {
  private final long id;
  private final SocketAddress remote;
  private final SocketAddress local;
  private final long connectedNanos = System.nanoTime();
  private String name = "";
  private String library = "";
  private String libraryVersion = "";
  private int version = RespAnswer.OLDER;

  /** @param id unique among all connections of the node */
  ConnectedClient(long id, NetSocket socket) {
    this.id = id;
    this.remote = socket.remoteAddress();
    this.local = socket.localAddress();
  }

  long id() {
    return id;
  }

  /** The port that it is connected to. */
  int port() {
    return local.port();
  }

  /** The version of the protocol that it speaks. */
  int version() {
    return version;
  }

  void speak(int other) {
    version = other;
  }

  /** The answer to {@code CLIENT}; throws {@link RespException} if it is a mistake. */
  Buffer answer(List<String> words) {
    String subcommand = words.size() > 1 ? words.get(1).toUpperCase(Locale.ROOT) : "";
    return switch (subcommand) {
      case "ID" -> new RespAnswer(version).add(id).bytes();
      case "INFO" -> RespAnswer.text(description("info"));
      case "LIST" -> list(words);
      case "GETNAME" -> shownName();
      case "SETNAME" -> setName(words);
      case "SETINFO" -> setLibrary(words);
      case "NO-EVICT", "NO-TOUCH" -> RespAnswer.ok();
      default -> throw RespException.of("ERR unknown subcommand of CLIENT");
    };
  }

  /** Names the client; an empty text removes its name. Throws {@link RespException} if it is no name. */
  void rename(String given) {
    name = checked(given);
  }

  private Buffer shownName() {
    return name.isEmpty() ? new RespAnswer(version).addNothing().bytes() : RespAnswer.text(name);
  }

  private Buffer setName(List<String> words) {
    if (words.size() != 3) {
      throw RespException.of("ERR wrong number of arguments for 'client|setname' command");
    }
    rename(words.get(2));
    return RespAnswer.ok();
  }

  private Buffer setLibrary(List<String> words) {
    String field = words.size() == 4 ? words.get(2).toUpperCase(Locale.ROOT) : "";
    switch (field) {
      case "LIB-NAME" -> library = checked(words.get(3));
      case "LIB-VER" -> libraryVersion = checked(words.get(3));
      default ->
        throw RespException.of("ERR CLIENT SETINFO: (expected: LIB-NAME or LIB-VER, and a value)");
    }
    return RespAnswer.ok();
  }

  // The characters that Redis allows: a description separates its fields by spaces.
  private static String checked(String given) {
    if (given.chars().anyMatch(character -> character < '!' || character > '~')) {
      throw RespException.of("ERR names of clients have no spaces and no special characters");
    }
    return given;
  }

  private Buffer list(List<String> words) {
    if (words.size() != 2) {
      throw RespException.of("ERR syntax error in CLIENT LIST");
    }
    return RespAnswer.text(description("list"));
  }

  // Clients require the sizes of buffers; the node does not measure them.
  private String description(String subcommand) {
    return "id=" + id + " addr=" + text(remote) + " laddr=" + text(local) + " name=" + name
        + " age=" + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - connectedNanos)
        + " idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1"
        + " qbuf=0 qbuf-free=0 argv-mem=0 obl=0 oll=0 omem=0 tot-mem=0"
        + " cmd=client|" + subcommand + " user=default redir=-1 resp=" + version
        + " lib-name=" + library + " lib-ver=" + libraryVersion + "\n";
  }

  private static String text(SocketAddress address) {
    String host = address.hostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.port();
  }
}
