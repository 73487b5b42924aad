package io.weir.node.contexts;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The clusters that an operator has named, in a file: the node of each, and where its token is. The file has no token.
 * One process at a time may change it.
 */
public final class Contexts {
  private static final String CURRENT = "current";
  private static final String CONTEXTS = "contexts";
  private static final String NODE = "node";
  private static final String TOKEN_FILE = "tokenFile";

  private final Path file;

  Contexts(Path file) {
    this.file = file;
  }

  /** The file of the user: {@code WEIR_CONTEXTS}, else {@code weir/contexts.json} where configurations are. */
  static Contexts of(Map<String, String> environment) {
    String home = environment.getOrDefault("HOME", environment.getOrDefault("USERPROFILE", "."));
    String configurations = environment.getOrDefault("XDG_CONFIG_HOME", home + "/.config");
    return new Contexts(
        Path.of(environment.getOrDefault("WEIR_CONTEXTS", configurations + "/weir/contexts.json")));
  }

  public Path file() {
    return file;
  }

  /** The name of the context in use; empty if none is. */
  public Optional<String> current() {
    return Optional.ofNullable(read().getString(CURRENT));
  }

  public Set<String> names() {
    return Set.copyOf(contexts(read()).fieldNames());
  }

  /** The node of a context; empty if there is no such context. */
  public Optional<AdminAddress> find(String name) {
    return Optional.ofNullable(contexts(read()).getJsonObject(name))
        .map(one -> new AdminAddress(
            one.getString(NODE), Optional.ofNullable(one.getString(TOKEN_FILE)).map(Path::of)));
  }

  /** Adds a context, or changes it. */
  public void put(String name, AdminAddress address) {
    JsonObject one = new JsonObject().put(NODE, address.node());
    address.tokenFile().ifPresent(path -> one.put(TOKEN_FILE, path.toString()));
    JsonObject all = read();
    write(all.put(CONTEXTS, contexts(all).put(name, one)));
  }

  public void use(String name) {
    write(read().put(CURRENT, name));
  }

  public void delete(String name) {
    JsonObject all = read();
    contexts(all).remove(name);
    if (name.equals(all.getString(CURRENT))) {
      all.remove(CURRENT);
    }
    write(all);
  }

  private static JsonObject contexts(JsonObject all) {
    return all.getJsonObject(CONTEXTS, new JsonObject());
  }

  private JsonObject read() {
    try {
      return Files.exists(file) ? JsonInput.object(Files.readString(file)) : new JsonObject();
    } catch (IOException | DecodeException | ClassCastException e) {
      throw new UncheckedIOException(
          "the contexts %s: %s".formatted(file, e.getMessage()), new IOException(e));
    }
  }

  private void write(JsonObject all) {
    try {
      Path to = file.toAbsolutePath();
      Path part = to.resolveSibling(to.getFileName() + ".part");
      Files.createDirectories(to.getParent());
      Files.writeString(part, all.encodePrettily() + "\n");
      Files.move(part, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("the contexts %s: %s".formatted(file, e.getMessage()), e);
    }
  }
}
