package io.weir.state.connection;

import io.lettuce.core.ScriptOutputType;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisAddress.Topology;
import io.weir.state.wire.LuaLibrary;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** The settings that a Redis needs, looked at when a program starts. */
final class RedisCheck {
  private static final int LOOKS = 5;

  private RedisCheck() {}

  // A setting that may not be read, or is not answered, is assumed to be right.
  static void requireUsable(RedisAddress address, Link link) {
    for (String memory : looked(() -> link.info("memory")).orElse(List.of())) {
      MemoryWatch.eviction(memory).ifPresent(RedisCheck::misconfigured);
    }
    boolean isClusters = looked(() -> link.info("cluster")).orElse(List.of()).stream()
        .anyMatch(info -> info.contains("cluster_enabled:1"));
    if (isClusters && address.servers().topology() != Topology.CLUSTER) {
      misconfigured("Redis is a node of a Redis Cluster (expected: redis+cluster://)");
    }
    requireLua(link);
  }

  // A server may be built without Lua, and an operator may forbid scripts. Functions are enough.
  private static void requireLua(Link link) {
    looked(() -> refusalOf(link.ask(
            commands -> commands.eval("return 1", ScriptOutputType.INTEGER, new String[0]))))
        .filter(refusal -> !refusal.isEmpty() && !runsFunctions(link))
        .ifPresent(refusal -> misconfigured("Redis runs no Lua scripts: " + refusal
            + " (expected: EVAL and EVALSHA, or functions, for this user)"));
  }

  private static boolean runsFunctions(Link link) {
    return looked(() ->
            refusalOf(link.ask(commands -> commands.functionLoad(LuaLibrary.forOperators(), true))))
        .filter(String::isEmpty)
        .isPresent();
  }

  /** The reason why Redis refuses a command, empty if it does not; an outage is a failure. */
  private static CompletableFuture<String> refusalOf(CompletableFuture<?> answer) {
    return answer
        .<String>thenApply(done -> "")
        .exceptionallyCompose(error -> Faults.of(error).isOutage()
            ? CompletableFuture.failedFuture(error)
            : CompletableFuture.completedFuture(Faults.message(LinkClient.root(error))));
  }

  private static void misconfigured(String problem) {
    throw new StoreUnavailableException(StoreFault.MISCONFIGURED, problem, null);
  }

  private static <T> Optional<T> looked(Supplier<CompletableFuture<T>> question) {
    for (int look = 0; look < LOOKS; look++) {
      try {
        return Optional.of(question.get().join());
      } catch (CompletionException e) {
        if (!Faults.of(e).isOutage()) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }
}
