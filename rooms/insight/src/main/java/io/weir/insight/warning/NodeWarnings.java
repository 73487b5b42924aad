package io.weir.insight.warning;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.throttle.PolicySource;
import io.weir.insight.warning.WebhookSender.Message;
import io.weir.node.admission.Witness.Question;
import io.weir.node.room.NodeParts;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns receivers of limits that fill up. Of all nodes that see it, the first one in Redis tells it; if that node ends
 * before its receiver has taken the warning, it is lost. Safe for use by many threads.
 */
public final class NodeWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWarnings.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  /** Questions to Redis at once; a limit that fills up meanwhile is seen with its next decision. */
  private static final int MOST_CLAIMS = 64;

  private final PolicySource policies;
  private final RedisWarnings redis;
  private final WarningMeters meters;
  private final Supplier<Instant> time;
  private final String node;
  private final Map<String, WebhookSender> senders;
  private final Map<Thread, LoopWarnings> loops = new ConcurrentHashMap<>();
  private final Semaphore claims = new Semaphore(MOST_CLAIMS);

  /**
   * The warnings of a node.
   *
   * @param time Redis's time
   */
  public NodeWarnings(NodeParts parts, Supplier<Instant> time) {
    this.policies = parts.policies();
    this.redis = new RedisWarnings(parts.redis());
    this.meters = new WarningMeters(parts.meters());
    this.time = time;
    this.node = parts.policies().questions().node();
    this.senders = senders(parts.config().reports().webhooks(), meters);
  }

  private static Map<String, WebhookSender> senders(Optional<Path> file, WarningMeters meters) {
    Map<String, WebhookSender> senders = new HashMap<>();
    if (file.isPresent()) {
      HttpClient client = HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT_TIMEOUT)
          .version(HttpClient.Version.HTTP_1_1)
          .build();
      Receivers.read(file.get())
          .forEach(
              (name, receiver) -> senders.put(name, WebhookSender.of(receiver, client, meters)));
    }
    return senders;
  }

  /** Watches the decisions of an event loop; called on it. */
  public void begin() {
    loops.put(Thread.currentThread(), new LoopWarnings(this::claim));
  }

  /** Sees a decision that a caller is told. Costs little if the policy has no rules. */
  public void told(Question question, Decision decision, long nowNanos) {
    LoopWarnings loop = loops.get(Thread.currentThread());
    if (loop != null && !decision.degraded()) {
      List<Limit> limits = decision.fold(Allowed::limits, Denied::limits, NeverAllowed::limits);
      loop.told(question, limits, policies.current(), nowNanos);
    }
  }

  private boolean claim(Warning warning) {
    WebhookSender sender = senders.get(warning.rule().to());
    if (sender == null) {
      meters.noReceiver();
      LOG.warn(
          "the rule {} for warnings: this node has no receiver {}",
          warning.rule().name(),
          warning.rule().to());
      return true;
    }
    if (!claims.tryAcquire()) {
      return false;
    }
    CompletableFuture<Boolean> unused = redis.claim(warning, node).whenComplete((isOurs, error) -> {
      claims.release();
      if (error != null) {
        meters.leftOut();
      } else if (isOurs) {
        send(sender, warning);
      }
    });
    return true;
  }

  private void send(WebhookSender sender, Warning warning) {
    Instant now = time.get();
    Message message = new Message(
        "msg_" + UUID.randomUUID(),
        Long.toString(now.getEpochSecond()),
        warning.toJson(now, node).encode());
    sender.send(
        message, warning.question().subject().id(), warning.question().subject().tenant());
  }
}
