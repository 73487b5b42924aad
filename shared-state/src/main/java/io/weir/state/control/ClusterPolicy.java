package io.weir.state.control;

import io.weir.policy.InvalidPolicyException;
import io.weir.policy.PolicyReading;
import io.weir.policy.PolicyRevision;
import io.weir.policy.Problem;
import io.weir.policy.SecretHash;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.redis.LuaScript;
import io.weir.state.redis.RedisAddress;
import io.weir.state.redis.RedisKeys;
import io.weir.throttle.PolicySource;
import io.weir.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RMap;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy that is in force for all nodes of a cluster: kept in Redis, changed by one atomic step,
 * announced to every node. Mutable; safe for use by many threads; owned by whoever opened it.
 *
 * <p>A node that misses a notice finds the change at the next look, once a second, or earlier, when the
 * store answers that its revision is stale.
 */
public final class ClusterPolicy implements PolicySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterPolicy.class);
  private static final long LOOK_EVERY_MILLIS = 1000;
  private static final int MAX_PUBLISH_ATTEMPTS = 5;
  private static final long PUBLISHED = 0;
  private static final int MAX_MESSAGE = 200;
  // Requests wait for it after a change of policy; no longer than callers of Redis ever should.
  private static final long RELOAD_TIMEOUT_MILLIS = 1000;

  private final RedissonClient redisson;
  private final LuaScript publish = LuaScript.load("publish");
  // Parsing a long policy takes longer than an event loop may be held.
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "weir-policy");
        thread.setDaemon(true);
        return thread;
      });
  private final AtomicReference<@Nullable Document> current = new AtomicReference<>();
  private final AtomicReference<@Nullable CompletableFuture<PolicyRevision>> loading =
      new AtomicReference<>();

  private final AtomicBoolean unreadable = new AtomicBoolean();
  private @Nullable ScheduledFuture<?> looking;

  private ClusterPolicy(RedissonClient redisson) {
    this.redisson = redisson;
  }

  /**
   * Connects and takes over the policy in force; where there is none, publishes {@code seed}.
   *
   * @param name what the seed is called in messages
   * @throws InvalidPolicyException where the policy that counts is refused
   * @throws StoreUnavailableException where Redis does not answer
   */
  public static ClusterPolicy open(String uri, String name, String seed) {
    ClusterPolicy policy = new ClusterPolicy(connect(RedisAddress.parse(uri)));
    try {
      policy.start(name, seed);
      return policy;
    } catch (RuntimeException e) {
      policy.close();
      throw e;
    }
  }

  @Override
  public PolicyRevision current() {
    return document().policy();
  }

  /** The text of the policy in force. */
  public String text() {
    return document().text();
  }

  @Override
  public CompletionStage<PolicyRevision> reload() {
    CompletableFuture<PolicyRevision> mine = new CompletableFuture<>();
    CompletableFuture<PolicyRevision> running = loading.compareAndExchange(null, mine);
    if (running == null) {
      try {
        executor.execute(() -> load(mine));
      } catch (RejectedExecutionException e) {
        finish(mine, e); // closed
      }
    }
    return bounded(running == null ? mine : running);
  }

  /**
   * Puts another policy in force, from this moment on for every node.
   *
   * @param name what it is called in messages
   * @return completes with what is in force and the warnings; exceptionally with {@link
   *     InvalidPolicyException}, and then nothing has changed, or {@link StoreUnavailableException}
   */
  public CompletionStage<Publication> publish(String name, String text) {
    // Read beside the executor: a long policy must not keep a reload waiting.
    return CompletableFuture.supplyAsync(() -> PolicyDocuments.parse(name, text))
        .thenApplyAsync(reading -> publishNow(name, text, reading), executor);
  }

  @Override
  public void close() {
    if (looking != null) {
      looking.cancel(true);
    }
    executor.shutdownNow();
    redisson.shutdown(0, 2, TimeUnit.SECONDS);
  }

  private void start(String name, String seed) {
    try {
      if (storedRevision() == 0) {
        PolicyReading first = PolicyDocuments.parse(name, seed);
        replace(
            0,
            Document.of(1, name, seed, first)); // where another node was faster, its policy counts
      }
      adopt(stored());
      redisson
          .getTopic(RedisKeys.POLICY_NOTICES, StringCodec.INSTANCE)
          .addListener(String.class, (channel, revision) -> look());
    } catch (RedisException e) {
      throw unavailable(e);
    }
    looking = executor.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private Publication publishNow(String name, String text, PolicyReading reading) {
    try {
      for (int attempt = 0; attempt < MAX_PUBLISH_ATTEMPTS; attempt++) {
        Document known = current.get();
        long inRedis = storedRevision();
        long next = Math.max(inRedis, known == null ? 0 : known.policy().revision()) + 1;
        Document document = Document.of(next, name, text, reading);
        if (replace(inRedis, document)) {
          take(document);
          return new Publication(next, reading.warnings());
        }
      }
    } catch (RedisException e) {
      throw unavailable(e);
    }
    throw new StoreUnavailableException("too many others publish a policy at this moment", null);
  }

  private boolean replace(long expected, Document document) {
    List<Long> reply = redisson
        .getScript(StringCodec.INSTANCE)
        .eval(
            RScript.Mode.READ_WRITE,
            publish.source(),
            RScript.ReturnType.LIST,
            List.of(RedisKeys.POLICY),
            Long.toString(expected),
            Long.toString(document.policy().revision()),
            document.name(),
            document.text(),
            document.digest());
    boolean published = reply.get(0) == PUBLISHED;
    if (published) {
      redisson
          .getTopic(RedisKeys.POLICY_NOTICES, StringCodec.INSTANCE)
          .publish(Long.toString(document.policy().revision()));
    }
    return published;
  }

  private void look() {
    reload().whenComplete((policy, error) -> {
      // Said once, not each second.
      if (error != null && unreadable.compareAndSet(false, true)) {
        LOG.warn(
            "the policy in force cannot be read, until it can be again: {}", error.getMessage());
      } else if (error == null && unreadable.compareAndSet(true, false)) {
        LOG.info("the policy in force is read again");
      }
    });
  }

  private void load(CompletableFuture<PolicyRevision> result) {
    try {
      settle(policyMap().getAll(Set.of("revision", "digest")));
      finish(result, null);
    } catch (Throwable e) { // whatever it is: who waits for the result must hear of it
      finish(result, e);
    }
  }

  // The newest revision counts. Redis may have lost what was published: then the newest that a node
  // knows goes back. Two policies of one revision, made on both sides of a loss, make a third.
  private void settle(Map<String, String> stored) {
    Document known = document();
    long revision = revisionOf(stored);
    if (revision > known.policy().revision()) {
      adopt(stored());
    } else if (revision < known.policy().revision()) {
      replace(revision, known);
    } else if (!known.digest().equals(stored.get("digest"))) {
      Map<String, String> other = stored();
      replace(revision, document(revision + 1, other));
      adopt(stored());
    }
  }

  private void finish(CompletableFuture<PolicyRevision> result, @Nullable Throwable error) {
    loading.compareAndSet(result, null);
    if (error == null) {
      result.complete(current());
    } else {
      result.completeExceptionally(
          new StoreUnavailableException("the policy in force: " + summary(error), error));
    }
  }

  private static CompletionStage<PolicyRevision> bounded(
      CompletableFuture<PolicyRevision> loading) {
    return loading
        .copy()
        .orTimeout(RELOAD_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(
            error instanceof TimeoutException
                ? new StoreUnavailableException(
                    "the policy in force could not be read in time", error)
                : error));
  }

  private void adopt(Map<String, String> stored) {
    take(document(revisionOf(stored), stored));
  }

  private static Document document(long revision, Map<String, String> stored) {
    String name = stored.getOrDefault("name", "policy");
    String text = stored.getOrDefault("document", "");
    PolicyReading reading = PolicyDocuments.parse(name, text);
    return Document.of(revision, name, text, reading);
  }

  private void take(Document document) {
    Document before = current.getAndUpdate(
        known -> known != null && known.policy().revision() >= document.policy().revision()
            ? known
            : document);
    if (before == null || before.policy().revision() < document.policy().revision()) {
      LOG.info("policy revision {} is in force", document.policy().revision());
    }
  }

  private Document document() {
    Document document = current.get();
    if (document == null) {
      throw new IllegalStateException("used before it was started");
    }
    return document;
  }

  private long storedRevision() {
    String revision = policyMap().get("revision");
    return revision == null ? 0 : Long.parseLong(revision);
  }

  private Map<String, String> stored() {
    return policyMap().readAllMap();
  }

  private RMap<String, String> policyMap() {
    return redisson.getMap(RedisKeys.POLICY, StringCodec.INSTANCE);
  }

  private static long revisionOf(Map<String, String> stored) {
    return Long.parseLong(stored.getOrDefault("revision", "0"));
  }

  private static RedissonClient connect(RedisAddress address) {
    Config config = new Config();
    config.setThreads(2).setNettyThreads(2);
    address.username().ifPresent(config::setUsername);
    address.password().ifPresent(config::setPassword);
    config
        .useSingleServer()
        .setAddress("%s://%s:%d"
            .formatted(address.tls() ? "rediss" : "redis", address.host(), address.port()))
        .setDatabase(address.database())
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(4)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(2)
        .setTimeout((int) Duration.ofSeconds(1).toMillis())
        .setConnectTimeout((int) Duration.ofSeconds(2).toMillis())
        .setRetryAttempts(1);
    try {
      return Redisson.create(config);
    } catch (RedisException e) {
      throw unavailable(e);
    }
  }

  private static StoreUnavailableException unavailable(RedisException error) {
    return new StoreUnavailableException("Redis did not answer: " + summary(error), error);
  }

  // Redisson's messages repeat the whole command, here a whole policy.
  private static String summary(Throwable error) {
    String message = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }

  /** A policy with its text. */
  private record Document(PolicyRevision policy, String name, String text, String digest) {
    static Document of(long revision, String name, String text, PolicyReading reading) {
      String digest = SecretHash.of(text).formatted();
      return new Document(new PolicyRevision(revision, reading.policy()), name, text, digest);
    }
  }

  /**
   * A policy that was put in force.
   *
   * @param warnings what is worth a look
   */
  public record Publication(long revision, List<Problem> warnings) {}
}
