package io.weir.core.policy;

import io.weir.core.bucket.Names;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarWindow;
import io.weir.core.kind.CalendarWindow.Period;
import io.weir.core.kind.FixedWindow;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.kind.Window;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the limits other than rates: quotas and permits. */
final class KindsReader {
  private static final int MAX_LIMITS = 100;
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(15);
  private static final Map<String, Boolean> COUNTS = counts();
  private static final Map<String, Period> PERIODS = periods();
  private static final Map<String, Integer> WEEKDAYS = weekdays();

  private final Set<String> names;
  private final Scope defaultScope;

  /** @param names the names in use; more are added */
  KindsReader(Set<String> names, Scope defaultScope) {
    this.names = names;
    this.defaultScope = defaultScope;
  }

  List<KindLimit> read(Section root) {
    List<KindLimit> limits = new ArrayList<>();
    List<Section> quotas = root.sections("quotas");
    List<Section> permits = root.sections("permits");
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
    findWrongOverflows(limits);
    return limits;
  }

  private Optional<KindLimit> quota(Section section) {
    Optional<String> name = name(section);
    Scope scope = section.choice("scope", Scopes.BY_WORD).orElse(defaultScope);
    OptionalLong limit = limit(section, Quota.MAX_LIMIT);
    boolean isSoft = section.flag("soft");
    OptionalLong near = section.wholeNumber("near", 1, 100);
    boolean requests = section.choice("counts", COUNTS).orElse(false);
    Optional<String> overflow = section.text("overflow", Names::isName, Names.NAME_PATTERN);
    Optional<Window> window = window(section);
    Set<String> operations = operations(section);
    section.refuseUnknown();
    if (name.isEmpty() || limit.isEmpty() || window.isEmpty()) {
      return Optional.empty();
    }
    Quota quota = new Quota(
        name.get(),
        scope,
        limit.getAsLong(),
        window.get(),
        isSoft,
        (int) near.orElse(80),
        requests,
        false);
    return Optional.of(new KindLimit(section, quota, operations, overflow));
  }

  private Optional<KindLimit> permits(Section section) {
    Optional<String> name = name(section);
    Scope scope = section.choice("scope", Scopes.BY_WORD).orElse(defaultScope);
    OptionalLong limit = limit(section, Permits.MAX_LIMIT);
    Duration lease = section
        .duration("lease", Duration.ofSeconds(1), Duration.ofMinutes(5))
        .orElse(DEFAULT_LEASE);
    Set<String> operations = operations(section);
    section.refuseUnknown();
    if (name.isEmpty() || limit.isEmpty()) {
      return Optional.empty();
    }
    Permits permits = new Permits(name.get(), scope, limit.getAsLong(), SlotsReader.micros(lease));
    return Optional.of(new KindLimit(section, permits, operations, Optional.empty()));
  }

  static OptionalLong limit(Section section, long most) {
    OptionalLong limit = section.wholeNumber("limit", 1, most);
    if (section.isAbsent("limit")) {
      section.error(
          "field_missing", "limit", "nothing (expected: a whole number from 1 to " + most + ")");
    }
    return limit;
  }

  private Optional<String> name(Section section) {
    Optional<String> name = section.requiredText("name", Names::isName, Names.NAME_PATTERN);
    if (name.isPresent() && !names.add(name.get())) {
      section.error(
          "name_repeated", "name", "'%s' is the name of a limit already".formatted(name.get()));
      return Optional.empty();
    }
    return name;
  }

  private static Set<String> operations(Section section) {
    return section.texts("operations", Names::isName, Names.NAME_PATTERN).stream()
        .map(Section.Item::text)
        .collect(Collectors.toSet());
  }

  private static Optional<Window> window(Section section) {
    Optional<String> zone =
        section.text("zone", KindsReader::isZone, "a time zone such as Europe/Berlin");
    boolean slides = section.flag("sliding");
    String expected = "day, week, month, or a duration such as 10s or 60m, from 1s on";
    Optional<String> period = section.requiredText("period", KindsReader::isPeriod, expected);
    if (period.isEmpty()) {
      return Optional.empty();
    }
    Period calendar = PERIODS.get(period.get());
    if (calendar == null) {
      section.isAbsent("anchor");
      if (zone.isPresent() || !section.isAbsent("anchor")) {
        section.error(
            "window_ambiguous", "period", "a duration with zone or anchor (expected: without)");
      }
      Duration length = DurationText.parse(period.get()).orElseThrow();
      return Optional.of(new FixedWindow(length.toMillis(), slides));
    }
    OptionalLong anchor = anchor(section, calendar);
    if (slides) {
      section.error(
          "window_ambiguous", "sliding", "with a calendar (expected: a duration as period)");
    }
    return Optional.of(
        new CalendarWindow(calendar, ZoneId.of(zone.orElse("UTC")), (int) anchor.orElse(1)));
  }

  private static OptionalLong anchor(Section section, Period period) {
    if (period == Period.WEEK) {
      Optional<Integer> day = section.choice("anchor", WEEKDAYS);
      return day.isEmpty() ? OptionalLong.empty() : OptionalLong.of(day.get());
    }
    if (period == Period.DAY && !section.isAbsent("anchor")) {
      section.error("window_ambiguous", "anchor", "of a day (expected: of weeks or months)");
    }
    return period == Period.MONTH ? section.wholeNumber("anchor", 1, 31) : OptionalLong.empty();
  }

  private static boolean isPeriod(String text) {
    return PERIODS.containsKey(text)
        || DurationText.parse(text)
            .filter(length -> length.toMillis() >= 1000 && length.toDays() <= 366)
            .isPresent();
  }

  private static boolean isZone(String text) {
    try {
      return ZoneId.of(text) != null;
    } catch (DateTimeException e) {
      return false;
    }
  }

  /** Reports each operation that is named here but unknown elsewhere: its limit would never apply. */
  static void findUnknownOperations(List<KindLimit> limits, Set<String> known) {
    for (KindLimit limit : limits) {
      limit.operations().stream()
          .filter(operation -> !known.contains(operation))
          .sorted()
          .forEach(operation -> limit
              .section()
              .error(
                  "operation_unknown",
                  "operations",
                  "'%s' is no operation of the policy".formatted(operation)));
    }
  }

  private static void findWrongOverflows(List<KindLimit> limits) {
    Map<String, KindLimit> byName = new LinkedHashMap<>();
    limits.forEach(limit -> byName.put(limit.name(), limit));
    Set<String> targets = new HashSet<>();
    for (KindLimit limit : limits) {
      limit.overflow().ifPresent(target -> {
        KindLimit other = byName.get(target);
        boolean isSound = other != null
            && !other.name().equals(limit.name())
            && other.demand() instanceof Quota
            && other.overflow().isEmpty()
            && targets.add(target);
        if (!isSound) {
          limit
              .section()
              .error(
                  "overflow_unknown",
                  "overflow",
                  "'%s' (expected: another quota, of one quota alone, without an overflow of its own)"
                      .formatted(target));
        }
      });
    }
  }

  private static Map<String, Boolean> counts() {
    Map<String, Boolean> words = new LinkedHashMap<>();
    words.put("cost", false);
    words.put("requests", true);
    return words;
  }

  private static Map<String, Period> periods() {
    Map<String, Period> words = new LinkedHashMap<>();
    words.put("day", Period.DAY);
    words.put("week", Period.WEEK);
    words.put("month", Period.MONTH);
    return words;
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
