package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Periods;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.schema.DurationText;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the limits other than rates: quotas and permits. */
final class KindsReader {
  private static final int MAX_LIMITS = 100;
  private static final ZoneId UTC = ZoneId.of("UTC");
  private static final Map<String, Period> PERIODS =
      Words.of("day", Period.DAY, "week", Period.WEEK, "month", Period.MONTH);
  private static final Map<String, Integer> WEEKDAYS = weekdays();

  /** The unit that a limit counts; true for requests. */
  static final Field<Boolean> COUNTS = Field.choice(
          "counts",
          Words.of("cost", false, "requests", true),
          "`requests` counts each request once, whatever it costs")
      .or(false);

  private static final Field<String> NAME =
      Field.name("name", "unique among all limits").required();
  private static final Field<List<Section.Item>> OPERATIONS =
      Field.names("operations", "the limited operations; none for all");

  /** The limit of a quota, or of permits or quotas in an override. */
  static final Field<Long> QUOTA_LIMIT = Field.number(
          "limit", 1, Quota.MAX_LIMIT, "the most operations in a period")
      .required();

  private static final Field<Boolean> SOFT = Field.flag("soft", "whether callers are only warned");
  private static final Field<Long> NEAR =
      Field.percent("near", 1, 100, "how full it is when callers are warned").or(80L);
  private static final Field<String> OVERFLOW = Field.name(
      "overflow", "another quota, without an overflow of its own, that pays if this one is full");
  private static final Field<String> PERIOD = Field.parsed(
          "period",
          text -> Optional.of(text).filter(KindsReader::isPeriod),
          "day|week|month|" + DurationText.PATTERN,
          "day, week, month, or a duration such as 10s, 24h or 30d, from 1s on",
          "of a calendar, or a duration, counted from the epoch")
      .required();
  private static final Field<ZoneId> ZONE = Field.parsed(
      "zone",
      KindsReader::zone,
      ".+",
      "a time zone such as Europe/Berlin",
      "the time zone of a calendar; default: UTC");
  private static final Field<Integer> WEEK_ANCHOR = Field.choice("anchor", WEEKDAYS, "");
  private static final Field<Long> MONTH_ANCHOR = Field.number("anchor", 1, 31, "");
  private static final Field<Object> ANCHOR = Field.oneOf(
      "anchor",
      "the first day of a week (default: `monday`) or of a month (default: 1; a month without that day begins with its"
          + " last day)",
      WEEK_ANCHOR,
      MONTH_ANCHOR);
  private static final Field<Boolean> SLIDING =
      Field.flag("sliding", "whether the usage of the period before fades; for a duration");
  private static final Table QUOTA = Table.of(
      "quota",
      NAME,
      Scopes.SCOPE,
      QUOTA_LIMIT,
      PERIOD,
      ZONE,
      ANCHOR,
      SLIDING,
      SOFT,
      NEAR,
      COUNTS,
      OPERATIONS,
      OVERFLOW);
  private static final Field<List<Section>> QUOTAS = Field.sections(
          "quotas", QUOTA, "numbers of operations in a period; with the permits at most 100")
      .counts(0, MAX_LIMITS);

  private static final Field<Long> PERMITS_LIMIT =
      Field.number("limit", 1, Permits.MAX_LIMIT, "the most requests at once").required();
  private static final Field<Long> LEASE = Field.duration(
          "lease",
          Duration.ofSeconds(1),
          Duration.ofMinutes(5),
          "time after the death of a node until its permits are free again")
      .or(15_000L);
  private static final Field<List<Section>> PERMITS = Field.sections(
          "permits",
          Table.of("permits", NAME, Scopes.SCOPE, PERMITS_LIMIT, LEASE, OPERATIONS),
          "numbers of requests at once")
      .counts(0, MAX_LIMITS);

  /** The lists of a policy, one for each kind. */
  static final List<Field<?>> FIELDS = List.of(QUOTAS, PERMITS);

  private final Scope defaultScope;
  private final Set<String> names;

  /** @param names the names in use; more are added */
  KindsReader(Scope defaultScope, Set<String> names) {
    this.defaultScope = defaultScope;
    this.names = names;
  }

  List<KindLimit> read(Section root) {
    List<KindLimit> limits = new ArrayList<>();
    List<Section> quotas = root.get(QUOTAS);
    List<Section> permits = root.get(PERMITS);
    if (quotas.size() + permits.size() > MAX_LIMITS) {
      root.error(
          "too_many_limits",
          "quotas",
          "%d quotas and permits (expected: at most %d)"
              .formatted(quotas.size() + permits.size(), MAX_LIMITS));
      return limits;
    }
    quotas.forEach(section -> quota(section).ifPresent(limits::add));
    permits.forEach(section -> permits(section).ifPresent(limits::add));
    return limits;
  }

  private Optional<KindLimit> quota(Section section) {
    Optional<String> name = name(section);
    Scope scope = section.find(Scopes.SCOPE).orElse(defaultScope);
    Optional<Long> limit = section.find(QUOTA_LIMIT);
    boolean isSoft = section.get(SOFT);
    int near = section.count(NEAR);
    boolean requests = section.get(COUNTS);
    Optional<String> overflow = section.find(OVERFLOW);
    Optional<Periods> window = window(section);
    Set<String> operations = Section.Item.texts(section.get(OPERATIONS));
    if (name.isEmpty() || limit.isEmpty() || window.isEmpty()) {
      return Optional.empty();
    }
    Quota quota =
        new Quota(name.get(), scope, limit.get(), window.get(), isSoft, near, requests, false);
    return Optional.of(new KindLimit(section, quota, operations, overflow));
  }

  private Optional<KindLimit> permits(Section section) {
    Optional<String> name = name(section);
    Scope scope = section.find(Scopes.SCOPE).orElse(defaultScope);
    Optional<Long> limit = section.find(PERMITS_LIMIT);
    long lease = section.micros(LEASE);
    Set<String> operations = Section.Item.texts(section.get(OPERATIONS));
    if (name.isEmpty() || limit.isEmpty()) {
      return Optional.empty();
    }
    Permits permits = new Permits(name.get(), scope, limit.get(), lease);
    return Optional.of(new KindLimit(section, permits, operations, Optional.empty()));
  }

  private Optional<String> name(Section section) {
    Optional<String> name = section.find(NAME);
    if (name.isPresent() && !names.add(name.get())) {
      section.error(
          "name_repeated", "name", "'%s' is the name of a limit already".formatted(name.get()));
      return Optional.empty();
    }
    return name;
  }

  private static Optional<Periods> window(Section section) {
    Optional<ZoneId> zone = section.find(ZONE);
    boolean slides = section.get(SLIDING);
    Optional<String> period = section.find(PERIOD);
    if (period.isEmpty()) {
      return Optional.empty();
    }
    Period calendar = PERIODS.get(period.get());
    if (calendar == null) {
      if (zone.isPresent() || !section.isAbsent("anchor")) {
        section.error(
            "window_ambiguous", "period", "a duration with zone or anchor (expected: without)");
      }
      Duration length = DurationText.parse(period.get()).orElseThrow();
      return Optional.of(new FixedPeriods(length.toMillis(), slides));
    }
    int anchor = anchor(section, calendar);
    if (slides) {
      section.error(
          "window_ambiguous", "sliding", "with a calendar (expected: a duration as period)");
    }
    return Optional.of(new CalendarPeriods(calendar, zone.orElse(UTC), anchor));
  }

  private static int anchor(Section section, Period period) {
    if (period == Period.WEEK) {
      return section.find(WEEK_ANCHOR).orElse(1);
    }
    if (period == Period.DAY && !section.isAbsent("anchor")) {
      section.error("window_ambiguous", "anchor", "of a day (expected: of weeks or months)");
    }
    return period == Period.MONTH ? section.find(MONTH_ANCHOR).orElse(1L).intValue() : 1;
  }

  private static boolean isPeriod(String text) {
    return PERIODS.containsKey(text)
        || DurationText.parse(text)
            .filter(length -> length.toMillis() >= 1000 && length.toDays() <= 366)
            .isPresent();
  }

  private static Optional<ZoneId> zone(String text) {
    try {
      return Optional.of(ZoneId.of(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Map<String, Integer> weekdays() {
    Map<String, Integer> words = new LinkedHashMap<>();
    List<String> days =
        List.of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");
    for (int i = 0; i < days.size(); i++) {
      words.put(days.get(i), i + 1);
    }
    return words;
  }
}
