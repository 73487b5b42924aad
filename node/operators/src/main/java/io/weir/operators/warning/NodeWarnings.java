package io.weir.operators.warning;

import io.vertx.core.Context;
import io.vertx.core.json.JsonObject;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Witness.Question;
import io.weir.node.extension.NodeBase;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.operators.warning.WebhookSender.Message;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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

  private static final int MOST_CLAIMS_OF_TENANT = 16;

  private final PolicySource policies;
  private final RedisWarnings redis;
  private final WarningMeters meters;
  private final Supplier<Instant> time;
  private final String node;
  private final Map<String, WebhookSender> senders;
  private final Map<Thread, LoopWarnings> loops = new ConcurrentHashMap<>();
  private final Bulkhead claims =
      new Bulkhead(MOST_CLAIMS_OF_TENANT, MOST_CLAIMS_OF_TENANT, MOST_CLAIMS);

  /**
   * The warnings of a node.
   *
   * @param time Redis's time
   */
  public NodeWarnings(NodeBase parts, Supplier<Instant> time) {
    this.policies = parts.policies();
    this.redis = new RedisWarnings(parts.connections().redis());
    this.meters = new WarningMeters(parts.meters());
    this.time = time;
    this.node = parts.policies().questions().node();
    this.senders = senders(parts.config().reports().webhooks(), meters, time);
  }

  private static Map<String, WebhookSender> senders(
      Optional<Path> file, WarningMeters meters, Supplier<Instant> time) {
    Map<String, WebhookSender> senders = new HashMap<>();
    if (file.isPresent()) {
      HttpClient client = HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT_TIMEOUT)
          .version(HttpClient.Version.HTTP_1_1)
          .build();
      Receivers.read(file.get())
          .forEach((name, receiver) ->
              senders.put(name, new WebhookSender(receiver, client, meters, time)));
    }
    return senders;
  }

  /** Watches the decisions of an event loop; called on it. */
  public void begin(Context loop) {
    Claims ofLoop = new Claims(loop);
    loops.put(Thread.currentThread(), ofLoop.warnings);
  }

  /** Ends all sending; what waits is lost. */
  public void close() {
    senders.values().forEach(WebhookSender::close);
  }

  /** Why receivers did not take their last message, by their names. */
  public Map<String, String> failing() {
    return senders.entrySet().stream()
        .filter(one -> one.getValue().deliveries().isFailing())
        .collect(Collectors.toMap(
            Map.Entry::getKey, one -> one.getValue().deliveries().why()));
  }

  /** The receivers that rules of the policy name and this node does not have, by the names of the rules. */
  public Map<String, String> unknown() {
    return WarningRules.of(policies.current().policy()).stream()
        .filter(rule -> !senders.containsKey(rule.to()))
        .collect(Collectors.toMap(WarningRule::name, WarningRule::to));
  }

  /** The rules of the policy, as operators read them. */
  List<JsonObject> rules() {
    return WarningRules.of(policies.current().policy()).stream()
        .sorted(Comparator.comparing(WarningRule::name))
        .map(WarningRule::toJson)
        .toList();
  }

  /** The deliveries of this node to its receivers, by their names. */
  Map<String, Deliveries> deliveries() {
    return senders.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().deliveries()));
  }

  /**
   * Sends a test message to a receiver, once.
   *
   * @return completes with what became of it; empty if this node has no such receiver
   */
  public Optional<CompletionStage<JsonObject>> test(String receiver) {
    JsonObject body = new JsonObject()
        .put("type", "test")
        .put("timestamp", time.get().toString())
        .put("data", new JsonObject().put("node", node));
    Message message = new Message("msg_" + UUID.randomUUID(), body.encode());
    return Optional.ofNullable(senders.get(receiver))
        .map(sender -> sender
            .test(message)
            .handle((status, error) -> tested(receiver, error == null ? status : 0, error)));
  }

  private static JsonObject tested(String receiver, int status, @Nullable Throwable error) {
    boolean isTaken = WebhookCall.isTaken(status);
    JsonObject json = new JsonObject().put("to", receiver).put("delivered", isTaken);
    return isTaken ? json.put("status", status) : json.put("why", WebhookSender.why(status, error));
  }

  /** Sees an answered decision. Costs little if the policy has no rules. */
  public void answered(Question question, Decision decision) {
    LoopWarnings loop = loops.get(Thread.currentThread());
    if (loop != null && loop.hasRules(policies.current()) && !decision.degraded()) {
      List<Limit> limits = decision.fold(Allowed::limits, Denied::limits, NeverAllowed::limits);
      loop.answered(question, limits, policies.current(), System.nanoTime());
    }
  }

  /** Claims the warnings of one event loop. */
  private final class Claims {
    private final Context loop;
    private final LoopWarnings warnings = new LoopWarnings(this::claim);

    Claims(Context loop) {
      this.loop = loop;
    }

    // A place in the queue first: what is claimed and cannot be sent would be told by nobody.
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
      Subject subject = warning.question().subject();
      Optional<Portion> claiming = claims.tryTake(subject, 1);
      Optional<Portion> place = claiming.flatMap(taken -> sender.place(subject));
      if (place.isEmpty()) {
        claiming.ifPresent(Portion::free);
        return false;
      }
      CompletableFuture<Duration> unused = redis
          .claim(warning, node)
          .whenComplete((wait, error) -> {
            claiming.get().free();
            if (error == null && wait.isZero()) {
              send(sender, warning, place.get());
            } else {
              place.get().free();
              loop.runOnContext(now -> notOurs(warning, Optional.ofNullable(wait)));
            }
          });
      return true;
    }

    private void notOurs(Warning warning, Optional<Duration> wait) {
      wait.ifPresentOrElse(
          rest -> warnings.sentElsewhere(warning, System.nanoTime() + rest.toNanos()),
          () -> warnings.notSent(warning));
    }
  }

  private void send(WebhookSender sender, Warning warning, Portion place) {
    Message message =
        new Message("msg_" + UUID.randomUUID(), warning.toJson(time.get(), node).encode());
    sender.send(message, place);
  }
}
