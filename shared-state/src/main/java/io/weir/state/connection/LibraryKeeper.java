package io.weir.state.connection;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the library for people who look into Redis, and deletes libraries of functions that no node has needed for an
 * hour: those of older releases. Each node reports once a minute which libraries it needs. A library that is deleted although a program needs it is loaded again by its next call.
 * Owned by the code that made it; safe for use by many threads.
 */
public final class LibraryKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LibraryKeeper.class);
  private static final Duration EVERY = Duration.ofMinutes(1);

  private final RedisConnections redis;
  private final LuaScript libraries;
  private final Supplier<List<String>> clock;
  private @Nullable ScheduledFuture<?> next;
  private boolean isClosed;

  /**
   * A keeper that has not begun.
   *
   * @param libraries the command {@code libraries.lua}
   * @param clock the last arguments of each call: none, but in tests
   */
  public LibraryKeeper(RedisConnections redis, LuaScript libraries, Supplier<List<String>> clock) {
    this.redis = redis;
    this.libraries = libraries;
    this.clock = clock;
  }

  /** Reports now, and from then on once a minute; replaces the library for people by this release's. */
  public void start() {
    CompletionStage<Void> unused = redis.functions().areUsed()
        ? redis.ask(commands -> loadForOperators(commands, Set.of()))
        : CompletableFuture.completedFuture(null);
    reportAgain();
  }

  private synchronized void reportAgain() {
    if (!isClosed) {
      CompletionStage<List<String>> unused = report().whenComplete((deleted, error) -> {
        if (error != null) {
          LOG.debug("libraries of functions were not compared", error);
        }
      });
      next = redis.later(this::reportAgain, EVERY);
    }
  }

  /** Reports the needed libraries, and deletes the others; the result is the names of the deleted ones. */
  public CompletionStage<List<String>> report() {
    if (!redis.functions().areUsed()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return redis
        .ask(commands -> loaded(commands)
            .thenCompose(loaded -> loadForOperators(commands, loaded).thenApply(done -> loaded)))
        .thenCompose(loaded ->
            Scripts.run(redis, libraries, List.of(RedisKeys.LIBRARIES), arguments(loaded)))
        .thenApply(over -> over.stream().map(String::valueOf).toList())
        .thenCompose(over -> redis.ask(commands -> deleted(commands, over)));
  }

  private List<String> arguments(Set<String> loaded) {
    String ours = loaded.stream()
        .filter(name -> name.startsWith(LuaLibrary.OPERATORS + "_"))
        .collect(Collectors.joining(" "));
    List<String> words = new ArrayList<>(List.of(String.join(" ", LuaLibrary.names()), ours));
    words.addAll(clock.get());
    return words;
  }

  private static CompletionStage<Set<String>> loaded(
      RedisClusterAsyncCommands<String, String> commands) {
    Set<String> names = new TreeSet<>();
    CompletableFuture<?>[] lists = Functions.masters(commands).stream()
        .map(master -> master
            .functionList(LuaLibrary.OPERATORS + "*")
            .thenAccept(found -> {
              synchronized (names) {
                found.forEach(library ->
                    names.add(String.valueOf(requireNonNull(library.get("library_name")))));
              }
            })
            .toCompletableFuture())
        .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(lists).thenApply(done -> names);
  }

  private static CompletionStage<Void> loadForOperators(
      RedisClusterAsyncCommands<String, String> commands, Set<String> loaded) {
    return loaded.contains(LuaLibrary.OPERATORS)
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.allOf(Functions.masters(commands).stream()
            .map(master -> master.functionLoad(LuaLibrary.forOperators(), true))
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture<?>[]::new));
  }

  private static CompletionStage<List<String>> deleted(
      RedisClusterAsyncCommands<String, String> commands, List<String> over) {
    CompletableFuture<?>[] deletes = Functions.masters(commands).stream()
        .flatMap(master -> over.stream().map(name -> delete(master, name)))
        .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(deletes).thenApply(done -> over);
  }

  // A master may lack it, or another node was earlier.
  private static CompletableFuture<Boolean> delete(
      RedisClusterAsyncCommands<String, String> master, String name) {
    return master
        .dispatch(
            CommandType.FUNCTION,
            new StatusOutput<>(StringCodec.ASCII),
            new CommandArgs<>(StringCodec.ASCII).add("DELETE").add(name))
        .handle((answer, error) -> error == null)
        .toCompletableFuture();
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (next != null) {
      next.cancel(false);
    }
  }
}
