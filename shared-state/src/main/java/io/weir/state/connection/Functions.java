package io.weir.state.connection;

import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.weir.core.throttle.Failures;
import io.weir.state.wire.LuaLibrary;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Redis runs libraries of functions (Redis 7 and later, where its operator allows them), and the libraries that were
 * loaded. Found out by the first call; from the first refusal on commands are sent as scripts. Safe for use by many
 * threads.
 */
public final class Functions {
  private static final Logger LOG = LoggerFactory.getLogger(Functions.class);
  private static final Pattern DETAILS = Pattern.compile(", .*", Pattern.DOTALL);

  private final Map<String, CompletableFuture<Void>> loading = new ConcurrentHashMap<>();
  private volatile boolean areUsed;
  private volatile String reason;

  Functions(boolean areUsed) {
    this.areUsed = areUsed;
    this.reason = areUsed ? "" : "functions=off";
  }

  /** Whether commands are sent as functions. */
  public boolean areUsed() {
    return areUsed;
  }

  /** How commands are sent: {@code functions}, or {@code scripts} and the reason. */
  public String inWords() {
    return areUsed ? "functions" : "scripts (" + reason + ")";
  }

  /** Records a refusal: commands are sent as scripts from now on. */
  public synchronized void refused(Throwable error) {
    if (areUsed) {
      String message = Faults.message(Failures.cause(error));
      reason = DETAILS.matcher(message).replaceFirst(""); // Redis repeats the arguments
      areUsed = false;
      LOG.info("Redis runs no functions, commands are sent as scripts: {}", reason);
    }
  }

  /**
   * Loads a library into each master that lacks it; calls for the same library at once are one. Completes exceptionally if
   * Redis refuses it, and records that.
   */
  public CompletableFuture<Void> load(Link link, LuaLibrary library) {
    CompletableFuture<Void> made = new CompletableFuture<>();
    CompletableFuture<Void> present = loading.putIfAbsent(library.name(), made);
    if (present != null) {
      return present;
    }
    var unused = link.ask(commands -> loaded(commands, library)).whenComplete((done, error) -> {
      loading.remove(library.name());
      if (error == null) {
        made.complete(null);
        return;
      }
      if (!Faults.of(error).isOutage() && !Faults.isFull(error)) {
        refused(error);
      }
      made.completeExceptionally(error);
    });
    return made;
  }

  /** The commands of each master. */
  static List<RedisClusterAsyncCommands<String, String>> masters(
      RedisClusterAsyncCommands<String, String> commands) {
    return commands instanceof RedisAdvancedClusterAsyncCommands<String, String> all
        ? List.copyOf(all.upstream().asMap().values())
        : List.of(commands);
  }

  private static CompletionStage<Void> loaded(
      RedisClusterAsyncCommands<String, String> commands, LuaLibrary library) {
    return CompletableFuture.allOf(masters(commands).stream()
        .map(master -> master
            .functionLoad(library.source())
            .handle((name, error) -> error)
            .thenCompose(Functions::unlessPresent)
            .toCompletableFuture())
        .toArray(CompletableFuture[]::new));
  }

  private static CompletionStage<Void> unlessPresent(@Nullable Throwable error) {
    return error == null || Faults.isLoaded(error)
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(error);
  }
}
