package io.weir.library;

import static java.util.Objects.requireNonNull;

import io.weir.core.throttle.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;

/** How a program takes part in a cluster; every setting has a default. Mutable; owned by one thread. */
public final class WeirBuilder {
  private final String redisUri;
  private Optional<Seed> policy = Optional.empty();
  private Optional<Path> policyCopy = Optional.empty();
  private boolean isNode;
  private Duration redisTimeout = Duration.ofMillis(500);
  private Duration redisWait = Duration.ofMinutes(1);
  private Executor executor = ForkJoinPool.commonPool();
  private WeirListener listener = WeirListener.NONE;
  private int mostWaiting = 10_000;

  /**
   * The policy that is put in force if there is none.
   *
   * @param name for messages
   */
  private record Seed(String name, Supplier<String> text) {}

  WeirBuilder(String redisUri) {
    this.redisUri = redisUri;
  }

  /** A policy that is put in force if the cluster has none yet; by default there must be one. */
  public WeirBuilder policy(Path file) {
    policy = Optional.of(new Seed(file.toString(), () -> textOf(file)));
    return this;
  }

  /**
   * The same for a policy that is no file, such as a resource of the class path.
   *
   * @param name for messages about its problems
   */
  public WeirBuilder policy(String name, String text) {
    requireNonNull(text, "text");
    policy = Optional.of(new Seed(requireNonNull(name, "name"), () -> text));
    return this;
  }

  private static String textOf(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("the policy %s cannot be read".formatted(file), e);
    }
  }

  /** A file that keeps the policy in force: with it, a program can start while Redis is away. */
  public WeirBuilder policyCopy(Path file) {
    policyCopy = Optional.of(file);
    return this;
  }

  /**
   * Counts this program as one of the nodes: while Redis is away, it has a share of the limits, and every node's share is
   * smaller by that. By default it has none: plans with {@code failureMode: local} deny then. Use it if there are no
   * nodes, or if the program takes a good part of the load.
   */
  public WeirBuilder countAsNode() {
    isNode = true;
    return this;
  }

  /** The longest wait for an answer of Redis; 500 ms by default. A decision takes at most twice as long. */
  public WeirBuilder redisTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException("redisTimeout: %s (expected: > 0)".formatted(longest));
    }
    redisTimeout = longest;
    return this;
  }

  /**
   * How long {@link #open} tries to reach Redis, as nodes do; a minute by default, zero for one try. A wrong password ends
   * it at once, and with a {@link #policyCopy} that is there a program does not wait.
   */
  public WeirBuilder redisWait(Duration longest) {
    if (longest.isNegative()) {
      throw new IllegalArgumentException("redisWait: %s (expected: >= 0)".formatted(longest));
    }
    redisWait = longest;
    return this;
  }

  /**
   * The executor on which the stages of asynchronous decisions complete; by default the common pool. With
   * {@code Runnable::run} they complete on the thread of the connection, which is quicker, and must never be blocked
   * then.
   */
  public WeirBuilder executor(Executor completing) {
    executor = requireNonNull(completing, "executor");
    return this;
  }

  /** Hears what happens. */
  public WeirBuilder listener(WeirListener added) {
    listener = requireNonNull(added, "listener");
    return this;
  }

  /** How many callers {@link Weir#acquire} lets wait at the same time; 10,000 by default. Further ones are denied. */
  public WeirBuilder mostWaiting(int callers) {
    if (callers < 0) {
      throw new IllegalArgumentException("mostWaiting: %d (expected: >= 0)".formatted(callers));
    }
    mostWaiting = callers;
    return this;
  }

  /**
   * Connects.
   *
   * @throws IllegalArgumentException if the URI is invalid
   * @throws io.weir.core.policy.InvalidPolicyException if a policy is invalid
   * @throws io.weir.state.policy.NoPolicyException if no policy is in force, and none is given
   * @throws StoreUnavailableException if Redis does not answer, and no policy is kept
   * @throws UncheckedIOException if the file of the policy cannot be read
   */
  public Weir open() {
    return new Weir(Parts.connected(this), this);
  }

  String redisUri() {
    return redisUri;
  }

  Optional<String> policyText() {
    return policy.map(seed -> seed.text().get());
  }

  String policyName() {
    return policy.map(Seed::name).orElse("policy");
  }

  Optional<Path> policyCopyFile() {
    return policyCopy;
  }

  boolean isNode() {
    return isNode;
  }

  Duration redisTimeout() {
    return redisTimeout;
  }

  Duration redisWait() {
    return redisWait;
  }

  Executor executor() {
    return executor;
  }

  WeirListener listener() {
    return listener;
  }

  int mostWaiting() {
    return mostWaiting;
  }
}
