package io.weir.jobs.rule;

import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.read.RequestParts;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import io.weir.jobs.rule.JobRule.ReceiptWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the settings for the jobs of an operation. */
public final class JobSection extends PolicySection<JobRule> {
  private static final int MAX_QUEUES = 50;
  private static final Duration DAY = Duration.ofHours(24);

  private static final Field<String> READINESS_PATH = Field.text(
      "readinessPath",
      Pattern.compile("/[A-Za-z0-9/._~%-]{0,255}"),
      "a path of the upstream such as /ready",
      "the path at which a `POST` of the job's body checks whether the upstream is ready for the job: 200 and 204 mean"
          + " ready; 202, 404, 408, 409, 425, 429, and 500 and above but 501 and 505 mean not yet; any other answer is the"
          + " job's result. A job that is not ready for four times the `readinessTime` goes to the end of the queue; while"
          + " others wait, a key has half of the places at most. Without a path there is no check");
  private static final Field<Boolean> BATCHES = Field.flag(
      "batches", "whether the jobs that are checked at once take together the time of one");
  private static final Field<Boolean> LEARNED = Field.flag(
      "learned",
      "whether etas use the observed medians of checking and of the upstream, once there are some");
  private static final Field<Boolean> CALLBACKS = Field.flag(
      "callbacks",
      "whether the upstream may [deliver](http.md#jobs) a result with a request of its own");
  private static final Field<Long> AFTER =
      Field.duration("after", Duration.ZERO, DAY, "the time since the upstream took the job");
  private static final Field<Long> WAIT =
      Field.duration("wait", Duration.ofSeconds(1), DAY, "how long to wait from then on");
  private static final Field<List<Section>> RECEIPT_WAITS = Field.sections(
          "receiptWaits",
          Table.of("receiptWait", AFTER, WAIT),
          "how long to wait before the location of a receipt is polled again, by the time since the upstream took the job,"
              + " ascending; default: 0s: 4s, 60s: 10s, 2m: 30s, 5m: 60s, 15m: 5m")
      .atMost(20, "too_many_waits", "steps");
  private static final Field<List<Item>> FAILURES = Field.numerals(
          "failures",
          Pattern.compile("[3-5](\\d\\d|xx)"),
          300,
          599,
          "a status from 300 to 599 such as 404, or a hundred of them such as 5xx",
          "statuses of the upstream with which a job has failed, such as `[404, 5xx]` (default: `5xx`); a status above 599"
              + " counts as 5xx")
      .atMost(50, "too_many_failures", "statuses");
  private static final Field<List<Item>> HEADERS = Field.texts(
          "headers",
          RequestParts.HEADER,
          "the name of a header",
          "headers of the caller that go with the job, beside `Accept`, `Accept-Language`, `Content-*`, `traceparent` and"
              + " `tracestate`; 3072 bytes together at most. They are stored, so do not name headers with secrets")
      .atMost(20, "too_many_headers", "headers");
  private static final Field<Boolean> MODE = Field.choice(
          "mode",
          Words.of("job", true, "direct", false),
          "`job`: a request is accepted now and done later: [how to](../how-to/jobs.md)")
      .or(false);
  private static final Map<JobParameter, Field<Long>> PARAMETERS = Stream.of(JobParameter.values())
      .collect(Collectors.toMap(
          parameter -> parameter,
          JobParameter::inPolicy,
          (one, other) -> one,
          () -> new EnumMap<>(JobParameter.class)));
  private static final Field<Section> JOB = Field.section(
      "job",
      Table.of("job", READINESS_PATH, BATCHES, LEARNED, CALLBACKS, RECEIPT_WAITS, FAILURES, HEADERS)
          .with(List.copyOf(PARAMETERS.values())),
      "settings of its [jobs](#jobs)");

  private static final String PROCESSING_TIME = JobParameter.PROCESSING_TIME.field();

  // They would be stored in plain text.
  private static final Set<String> SECRET =
      Set.of("authorization", "proxy-authorization", "cookie", "x-api-key");
  // They apply to one hop, describe the framing of a body, or are Weir's own.
  private static final Set<String> NOT_THE_CALLERS = Set.of(
      "connection",
      "content-length",
      "expect",
      "host",
      "idempotency-key",
      "keep-alive",
      "proxy-connection",
      "retry-ticket",
      "te",
      "trailer",
      "transfer-encoding",
      "upgrade",
      "via");

  public JobSection() {
    super(Parent.OPERATION, JobRule.PART, MODE, JOB);
  }

  @Override
  public Optional<JobRule> read(Section operation) {
    boolean isJob = operation.get(MODE);
    if (!isJob) {
      if (operation.has("job")) {
        operation.error("job_mode", "job", "settings of jobs without mode: job");
      }
      return Optional.empty();
    }
    if (!operation.has("match")) {
      operation.error("job_match", "mode", "jobs without match: nobody could submit one");
    }
    for (String field : List.of("maxDelay", "continues")) {
      if (operation.has(field)) {
        operation.error("job_field", field, "not for an operation with mode: job");
      }
    }
    Optional<JobRule> rule = operation.has("job")
        ? operation.find(JOB).map(JobSection::rule)
        : Optional.of(JobRule.DEFAULT);
    boolean isSaid =
        operation.find(JOB).filter(section -> section.has(PROCESSING_TIME)).isPresent();
    if (!isSaid && rule.filter(it -> it.waits().isLearned()).isEmpty()) {
      operation.warning(
          "processing_time_assumed",
          "job",
          "without processingTime etas assume %d ms for each job (expected: processingTime, or learned: true)"
              .formatted(JobParameter.PROCESSING_TIME.initial()));
    }
    return rule;
  }

  @Override
  public void check(Section root, Policy policy) {
    long queues = policy.routing().rules().stream()
        .filter(rule -> JobRule.of(rule).isPresent())
        .count();
    if (queues > MAX_QUEUES) {
      root.error(
          "too_many_job_queues",
          "operations",
          "%d with mode: job (expected: at most %d)".formatted(queues, MAX_QUEUES));
    }
    for (OperationRule rule : policy.routing().rules()) {
      rule.settle()
          .filter(settle -> JobRule.of(rule).isPresent() && !isForJobs(settle))
          .ifPresent(settle -> root.error(
              "job_field",
              "operations",
              "%s: settle by a trailer or with atLeast, of an operation with mode: job"
                  .formatted(rule.name())));
    }
  }

  // The result of a job has no trailers; atLeast is learned by the node that accepted it.
  private static boolean isForJobs(SettleRule settle) {
    return settle.source() != SettleRule.Source.TRAILER && settle.leastPercent() == 100;
  }

  private static JobRule rule(Section section) {
    Map<JobParameter, Long> values = new EnumMap<>(JobParameter.class);
    PARAMETERS.forEach(
        (parameter, field) -> section.find(field).ifPresent(value -> values.put(parameter, value)));
    Optional<String> readiness = section.find(READINESS_PATH);
    List<ReceiptWait> waits = section.has("receiptWaits") ? waits(section) : JobRule.RECEIPT_WAITS;
    Set<String> failures =
        section.has("failures") ? Item.texts(section.get(FAILURES)) : JobRule.FAILURES;
    Set<String> headers = headers(section);
    JobRule rule = new JobRule(
        values,
        new JobRule.Waits(section.get(BATCHES), section.get(LEARNED), waits),
        new JobRule.Protocol(readiness, section.get(CALLBACKS), failures, headers));
    findContradictions(section, rule);
    return rule;
  }

  private static List<ReceiptWait> waits(Section section) {
    List<ReceiptWait> waits = new ArrayList<>();
    for (Section step : section.get(RECEIPT_WAITS)) {
      Optional<Long> after = step.find(AFTER);
      Optional<Long> wait = step.find(WAIT);
      if (after.isEmpty() || wait.isEmpty()) {
        step.error("field_missing", "a step without its times (expected: after and wait)");
        continue;
      }
      ReceiptWait last = waits.isEmpty() ? null : waits.get(waits.size() - 1);
      if (last != null && last.afterMillis() >= after.get()) {
        step.error("waits_not_ascending", "after", "not later than the step before it");
      }
      waits.add(new ReceiptWait(after.get(), wait.get()));
    }
    return waits;
  }

  private static Set<String> headers(Section section) {
    List<Item> items = section.get(HEADERS);
    for (Item item : items) {
      String name = item.text().toLowerCase(Locale.ROOT);
      if (SECRET.contains(name)) {
        section.errorAt(
            "header_secret", item, "a secret, which would be stored (expected: another header)");
      } else if (NOT_THE_CALLERS.contains(name) || name.startsWith("x-weir-")) {
        section.errorAt(
            "header_not_the_callers", item, "not the caller's to say (expected: another header)");
      }
    }
    return items.stream()
        .map(item -> item.text().toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static void findContradictions(Section section, JobRule rule) {
    if (rule.value(JobParameter.MIN_WAIT) >= rule.value(JobParameter.MAX_WAIT)) {
      section.error("wait_bounds", "minWait", "not below maxWait");
    }
    if (rule.value(JobParameter.BYTES_OF_KEY) > rule.value(JobParameter.BYTES_OF_TENANT)
        || rule.value(JobParameter.BYTES_OF_TENANT) > rule.value(JobParameter.BYTES_IN_ALL)) {
      section.error(
          "bytes_bounds", "bytesOfKey", "not ascending: bytesOfKey, bytesOfTenant, bytesInAll");
    }
    boolean isChecked = rule.protocol().readinessPath().isPresent();
    for (String field : List.of("readinessConcurrency", "readinessTime", "batches")) {
      if (!isChecked && section.has(field)) {
        section.warning("readiness_unused", field, "without readinessPath nothing is checked");
      }
    }
  }
}
