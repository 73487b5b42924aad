package io.weir.core.policy;

import io.weir.core.job.JobParameter;
import io.weir.core.job.JobRule;
import io.weir.core.job.JobRule.ReceiptWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the settings for the jobs of an operation. */
final class JobReader {
  private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9/._~%-]{0,255}");
  private static final Pattern STATUS = Pattern.compile("[3-5](\\d\\d|xx)");
  private static final int MAX_WAITS = 20;
  private static final int MAX_FAILURES = 50;
  private static final int MAX_HEADERS = 20;
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

  private JobReader() {}

  static JobRule of(Section section) {
    Map<JobParameter, Long> values = new EnumMap<>(JobParameter.class);
    for (JobParameter parameter : JobParameter.values()) {
      OptionalLong value = value(section, parameter);
      value.ifPresent(number -> values.put(parameter, number));
    }
    Optional<String> readiness = section.text(
        "readinessPath", PATH.asMatchPredicate(), "a path of the upstream such as /ready");
    boolean batches = section.flag("batches");
    boolean isLearned = section.flag("learned");
    boolean takesCallbacks = section.flag("callbacks");
    List<ReceiptWait> waits = section.has("receiptWaits") ? waits(section) : JobRule.RECEIPT_WAITS;
    Set<String> failures = section.has("failures") ? failures(section) : JobRule.FAILURES;
    Set<String> headers = headers(section);
    section.refuseUnknown();
    JobRule rule = new JobRule(
        values, readiness, batches, isLearned, takesCallbacks, waits, failures, headers);
    findContradictions(section, rule);
    return rule;
  }

  private static OptionalLong value(Section section, JobParameter parameter) {
    if (parameter.type() == JobParameter.Type.NUMBER) {
      return section.wholeNumber(parameter.field(), parameter.min(), parameter.max());
    }
    Optional<Duration> value = section.duration(
        parameter.field(), Duration.ofMillis(parameter.min()), Duration.ofMillis(parameter.max()));
    return value.isPresent() ? OptionalLong.of(value.get().toMillis()) : OptionalLong.empty();
  }

  private static List<ReceiptWait> waits(Section section) {
    List<ReceiptWait> waits = new ArrayList<>();
    Duration longest = Duration.ofHours(24);
    for (Section step : section.sections("receiptWaits")) {
      Optional<Duration> after = step.duration("after", Duration.ZERO, longest);
      Optional<Duration> wait = step.duration("wait", Duration.ofSeconds(1), longest);
      step.refuseUnknown();
      if (after.isEmpty() || wait.isEmpty()) {
        step.error("field_missing", "a step without its times (expected: after and wait)");
        continue;
      }
      ReceiptWait last = waits.isEmpty() ? null : waits.get(waits.size() - 1);
      if (last != null && last.afterMillis() >= after.get().toMillis()) {
        step.error("waits_not_ascending", "after", "not later than the step before it");
      }
      waits.add(new ReceiptWait(after.get().toMillis(), wait.get().toMillis()));
    }
    if (waits.size() > MAX_WAITS) {
      section.error(
          "too_many_waits",
          "receiptWaits",
          "%d steps (expected: at most %d)".formatted(waits.size(), MAX_WAITS));
    }
    return waits;
  }

  private static Set<String> failures(Section section) {
    List<Section.Item> items = section.texts(
        "failures",
        STATUS.asMatchPredicate(),
        "a status from 300 to 599 such as 404, or a hundred of them such as 5xx");
    if (items.size() > MAX_FAILURES) {
      section.error(
          "too_many_failures",
          "failures",
          "%d statuses (expected: at most %d)".formatted(items.size(), MAX_FAILURES));
    }
    return items.stream().map(Section.Item::text).collect(Collectors.toUnmodifiableSet());
  }

  private static Set<String> headers(Section section) {
    List<Section.Item> items = section.texts(
        "headers", OperationsReader.HEADER.asMatchPredicate(), "the name of a header");
    for (Section.Item item : items) {
      String name = item.text().toLowerCase(Locale.ROOT);
      if (SECRET.contains(name)) {
        section.errorAt(
            "header_secret", item, "a secret, which would be stored (expected: another header)");
      } else if (NOT_THE_CALLERS.contains(name) || name.startsWith("x-weir-")) {
        section.errorAt(
            "header_not_the_callers", item, "not the caller's to say (expected: another header)");
      }
    }
    if (items.size() > MAX_HEADERS) {
      section.error(
          "too_many_headers",
          "headers",
          "%d headers (expected: at most %d)".formatted(items.size(), MAX_HEADERS));
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
    boolean isChecked = rule.readinessPath().isPresent();
    for (String field : List.of("readinessConcurrency", "readinessTime", "batches")) {
      if (!isChecked && section.has(field)) {
        section.warning("readiness_unused", field, "without readinessPath nothing is checked");
      }
    }
  }
}
