package io.weir.node.envoy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.UsageReport;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.PolicySource;
import io.weir.node.envoy.MessageQueue.Message;
import io.weir.node.envoy.UsageMessage.BucketUsage;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.envoy.rule.EnvoyBounds;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyDomains;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.RuleOption;
import io.weir.node.envoy.rule.UnitLimit;
import io.weir.node.metrics.AssignmentMeters.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the reports of one Envoy on its buckets with its assignments. A bucket that Redis does not answer for in time
 * is left out: its assignment ends. A bucket beyond the bounds, or unused without a limit, is abandoned, so that Envoy does
 * not report it for ever: what is in a bucket comes from requests, and a request must not end the stream. Mutable; owned
 * by one event loop.
 */
final class AssignmentStream implements GrpcStream.Method {
  /** An answer that took longer is not sent: it may arrive later than {@link Assignment#ARRIVES}. */
  private static final long MOST_NANOS = Assignment.ARRIVES.toNanos() / 2;

  /** The reports of a stream that the shared state decides on at a time. */
  private static final int AT_ONCE = 32;

  private static final Logger LOG = LoggerFactory.getLogger(AssignmentStream.class);

  private final Context context;
  private final PolicySource policies;
  private final NodeAssignments assignments;
  private final PartSemaphores turns;
  private final EnvoyClient client;
  private final Consumer<GrpcStream> end;
  private final Map<List<Entry>, StreamBucket> buckets = new HashMap<>();
  private String domain = "";
  private boolean hasEnded;
  private boolean hasLogged;

  /** An assignment of a bucket, to be sent. */
  private record Answer(StreamBucket bucket, Assignment assignment, long requestedNanos) {}

  /**
   * @param turns of all streams of the event loop
   * @param end is called when the stream has ended
   */
  AssignmentStream(
      Context context,
      PolicySource policies,
      NodeAssignments assignments,
      PartSemaphores turns,
      EnvoyClient client,
      Consumer<GrpcStream> end) {
    this.context = context;
    this.policies = policies;
    this.assignments = assignments;
    this.turns = turns;
    this.client = client;
    this.end = end;
  }

  @Override
  public void ended(GrpcStream stream) {
    hasEnded = true;
    buckets.values().forEach(StreamBucket::removed);
    end.accept(stream);
  }

  @Override
  public Future<Void> answer(Message message, Function<Buffer, Future<Void>> write) {
    UsageMessage reports = UsageMessage.read(message.content());
    return answer(
        domain(reports.domain()), reports.usages().iterator(), message.writtenNanos(), write);
  }

  // Some reports after the others: those of one stream keep neither the shared state nor other
  // streams busy, and no answer waits for all.
  private Future<Void> answer(
      EnvoyDomain found,
      Iterator<BucketUsage> usages,
      long writtenNanos,
      Function<Buffer, Future<Void>> write) {
    return hasEnded || !usages.hasNext()
        ? Future.succeededFuture()
        : turns
            .run(found.tenant(), () -> actionsOfSome(found, usages, writtenNanos))
            .compose(write)
            .compose(sent -> answer(found, usages, writtenNanos, write));
  }

  // While the shared state decides, only the bytes of the other actions are kept.
  private Future<Buffer> actionsOfSome(
      EnvoyDomain found, Iterator<BucketUsage> usages, long writtenNanos) {
    MessageWriter actions = new MessageWriter();
    List<Future<Optional<Answer>>> answers = new ArrayList<>();
    while (!hasEnded && usages.hasNext() && answers.size() < AT_ONCE) {
      BucketUsage usage = usages.next();
      Optional<EnvoyRule> rule = found.rule(usage.bucket());
      Optional<DividedLimit> divided = rule.filter(each -> each.has(RuleOption.DIVIDED))
          .flatMap(it -> it.counting().limit())
          .flatMap(UnitLimit::divided);
      if (divided.isEmpty()) {
        Optional.ofNullable(buckets.get(usage.bucket())).ifPresent(this::remove);
        undivided(usage, rule).addTo(actions);
        continue;
      }
      Optional<StreamBucket> bucket = bucket(usage.bucket(), divided.get());
      if (bucket.isEmpty()) {
        refused(usage).addTo(actions);
        continue;
      }
      Subject subject = found.subject(rule.orElseThrow(), usage.bucket(), Optional.empty());
      report(subject, bucket.get(), usage, writtenNanos).ifPresent(answers::add);
    }
    return Future.all(answers).map(done -> {
      long now = System.nanoTime();
      answers.forEach(answer -> answer
          .result()
          .filter(one -> isInTime(one, now))
          .ifPresent(one -> sent(one, now).addTo(actions)));
      return actions.bytes();
    });
  }

  private EnvoyDomain domain(String named) {
    if (!domain.isEmpty() && !named.isEmpty() && !named.equals(domain)) {
      throw GrpcException.invalid(
          "domain: '%s' (expected: '%s', as in the first message)".formatted(named, domain));
    }
    domain = domain.isEmpty() ? named : domain;
    if (domain.isEmpty()) {
      throw GrpcException.invalid("domain: none (expected: one of the policy)");
    }
    return EnvoyDomains.of(policies.current().policy())
        .find(domain)
        .orElseThrow(() -> new GrpcException(
            GrpcStatus.NOT_FOUND, "domain: '%s' is not in the policy".formatted(domain)));
  }

  private BucketAction undivided(BucketUsage usage, Optional<EnvoyRule> rule) {
    if (usage.bucket().isEmpty()) {
      return refused(usage);
    }
    if (usage.requests() == 0 && !usage.isNew()) {
      assignments.meters().reported(Outcome.ABANDONED);
      return BucketAction.abandoned(usage.id());
    }
    assignments.meters().reported(Outcome.UNDIVIDED);
    return rule.flatMap(it -> it.counting().limit()).isEmpty()
        ? BucketAction.allowAll(usage.bucket())
        : BucketAction.denyAll(usage.bucket());
  }

  private BucketAction refused(BucketUsage usage) {
    assignments.meters().reported(Outcome.REFUSED);
    return BucketAction.abandoned(usage.id());
  }

  private Optional<Future<Optional<Answer>>> report(
      Subject subject, StreamBucket bucket, BucketUsage usage, long writtenNanos) {
    long now = System.nanoTime();
    Optional<UsageReport> report = bucket.report(client.name(), usage, writtenNanos, now);
    if (report.isEmpty()) {
      assignments.meters().reported(Outcome.MERGED);
    }
    return report.map(one -> Future.fromCompletionStage(
            assignments.shared().report(subject.tenant(), subject.id(), bucket.limit(), one),
            context)
        .map(assignment -> Optional.of(new Answer(bucket, assignment, now)))
        .recover(error -> unanswered(bucket, error)));
  }

  // Answers of a message are sent together: one may have waited for another.
  private boolean isInTime(Answer answer, long now) {
    if (now - answer.requestedNanos() < MOST_NANOS) {
      return true;
    }
    assignments.meters().reported(Outcome.LATE);
    return false;
  }

  private Future<Optional<Answer>> unanswered(StreamBucket bucket, Throwable error) {
    bucket.unanswered();
    assignments.meters().reported(Outcome.UNAVAILABLE);
    if (!Failures.isOutage(error) && !hasLogged) {
      hasLogged = true;
      LOG.warn("a report of the client {} could not be answered", client.name(), error);
    }
    return Future.succeededFuture(Optional.empty());
  }

  // Empty if there is no room for another one.
  private Optional<StreamBucket> bucket(List<Entry> entries, DividedLimit limit) {
    StreamBucket known = buckets.get(entries);
    if (known != null && known.limit().equals(limit)) {
      return Optional.of(known);
    }
    if (known != null) {
      remove(known);
    }
    if (buckets.size() >= EnvoyBounds.BUCKETS) {
      return Optional.empty();
    }
    Optional<StreamBucket> added = assignments
        .buckets()
        .tryTake(client.name(), client.network(), StreamBucket.bytes(entries))
        .map(memory -> new StreamBucket(entries, limit, memory));
    added.ifPresent(bucket -> buckets.put(entries, bucket));
    return added;
  }

  private void remove(StreamBucket bucket) {
    buckets.remove(bucket.entries());
    bucket.removed();
  }

  private BucketAction sent(Answer answer, long now) {
    StreamBucket bucket = answer.bucket();
    Assignment assignment = answer.assignment();
    assignments.meters().reported(outcome(assignment));
    if (assignment.isAbandoned()) {
      remove(bucket);
    } else {
      bucket.sent(assignment, answer.requestedNanos(), now);
    }
    return BucketAction.of(bucket.entries(), bucket.limit(), assignment);
  }

  private static Outcome outcome(Assignment assignment) {
    if (assignment.isAbandoned()) {
      return Outcome.ABANDONED;
    }
    return assignment.rate() == 0 ? Outcome.NOTHING : Outcome.ASSIGNED;
  }
}
