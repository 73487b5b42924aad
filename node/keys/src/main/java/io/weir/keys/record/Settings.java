package io.weir.keys.record;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a key or a tenant by an operator. Immutable.
 *
 * @param plan of its own; else that of its tenant or the default one
 * @param mostKeys of a tenant: with so many keys, its own operators make no more
 */
public record Settings(
    Optional<String> plan,
    Validity validity,
    List<TimedOverride> overrides,
    Map<String, String> labels,
    String note,
    OptionalInt mostKeys) {
  /**
   * The state, and the end.
   *
   * @param expiresMillis the moment from which a key is unknown, by Redis's clock
   */
  public record Validity(KeyState state, OptionalLong expiresMillis) {
    /** Without an end. */
    public static final Validity ALWAYS = new Validity(KeyState.ACTIVE, OptionalLong.empty());
  }

  /** The names of the fields of a key. */
  public static final Set<String> FIELDS =
      Set.of("plan", "state", "expires", "overrides", "labels", "note");

  /** The field of a tenant with the most keys that its operators make. */
  public static final String MAX_KEYS = "maxKeys";

  /** Nothing is set. */
  public static final Settings NONE =
      new Settings(Optional.empty(), Validity.ALWAYS, List.of(), Map.of(), "");

  private static final int MOST_KEYS = 10_000;
  private static final int MOST_OVERRIDES = 50;
  private static final int MOST_BYTES_OF_OVERRIDES = 8 << 10;
  private static final int MOST_LABELS = 20;
  private static final int MOST_CHARACTERS = 256;
  private static final String HIDDEN =
      "(expected: no characters that control terminals, end lines or turn the direction of text)";
  private static final String NO_CONTROL = "\\P{Cntrl}*";

  public Settings {
    overrides = List.copyOf(overrides);
    labels = Map.copyOf(labels);
  }

  /** Without a bound of keys. */
  public Settings(
      Optional<String> plan,
      Validity validity,
      List<TimedOverride> overrides,
      Map<String, String> labels,
      String note) {
    this(plan, validity, overrides, labels, note, OptionalInt.empty());
  }

  /**
   * Reads settings; absent and null fields have their defaults.
   *
   * @param nowMillis by Redis's clock: a moment may be given as so long from now, {@code +2h}
   * @param mistakes gets a line for each mistake
   */
  public static Settings read(JsonObject json, long nowMillis, List<String> mistakes) {
    Reader reader = new Reader(json, nowMillis, mistakes);
    return new Settings(
        reader.plan(),
        new Validity(
            reader.state(),
            InstantText.read(json.getValue("expires"), "expires", nowMillis, mistakes)),
        reader.overrides(),
        reader.labels(),
        reader.note(),
        reader.mostKeys());
  }

  /**
   * Reads settings that an operator sends, and notes texts in them that show as something else than they are. Records of
   * before may have such texts, and are read all the same.
   */
  public static Settings sent(JsonObject json, long nowMillis, List<String> mistakes) {
    findHidden(json, mistakes);
    return read(json, nowMillis, mistakes);
  }

  /** Notes the texts that are sent and have characters that control terminals or turn the direction of text. */
  public static void findHidden(JsonObject sent, List<String> mistakes) {
    if (sent.getValue("note") instanceof String note && !Names.isLine(note)) {
      mistakes.add("note: " + HIDDEN);
    }
    boolean isHidden = sent.getValue("labels") instanceof JsonObject labels
        && labels.stream()
            .anyMatch(one -> one.getValue() instanceof String text && !Names.isLine(text));
    if (isHidden) {
      mistakes.add("labels: " + HIDDEN);
    }
  }

  /** The form that {@link #read} reads, without defaults. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    plan.ifPresent(name -> json.put("plan", name));
    json.put("state", validity.state().word());
    validity
        .expiresMillis()
        .ifPresent(at -> json.put("expires", Instant.ofEpochMilli(at).toString()));
    if (!overrides.isEmpty()) {
      json.put("overrides", overridesJson());
    }
    if (!labels.isEmpty()) {
      json.put("labels", labelsJson());
    }
    if (!note.isEmpty()) {
      json.put("note", note);
    }
    mostKeys.ifPresent(most -> json.put(MAX_KEYS, most));
    return json;
  }

  /** These settings with some changed (RFC 7396): a null removes, labels are merged. */
  public JsonObject patched(JsonObject patch) {
    JsonObject merged = toJson();
    patch.forEach(one -> {
      if (one.getKey().equals("labels") && one.getValue() instanceof JsonObject more) {
        JsonObject all = merged.getJsonObject("labels", new JsonObject()).copy().mergeIn(more);
        all.getMap().values().removeIf(value -> value == null);
        merged.put("labels", all);
      } else {
        merged.put(one.getKey(), one.getValue());
      }
    });
    merged.getMap().values().removeIf(value -> value == null);
    return merged;
  }

  /** About how long it is as text. */
  public int characters() {
    return note.length()
        + labels.entrySet().stream()
            .mapToInt(label -> label.getKey().length() + label.getValue().length())
            .sum()
        + (overrides.isEmpty() ? 0 : overridesJson().encode().length());
  }

  JsonArray overridesJson() {
    return new JsonArray(overrides.stream().map(TimedOverride::toJson).toList());
  }

  JsonObject labelsJson() {
    return new JsonObject(new LinkedHashMap<>(new TreeMap<>(labels)));
  }

  /** Reads one object. */
  private record Reader(JsonObject json, long nowMillis, List<String> mistakes) {
    private void mistake(String field, String expected) {
      mistakes.add("%s: (expected: %s)".formatted(field, expected));
    }

    Optional<String> plan() {
      Object value = json.getValue("plan");
      if (value == null) {
        return Optional.empty();
      }
      if (value instanceof String name && Names.isName(name)) {
        return Optional.of(name);
      }
      mistake("plan", "the name of a plan, " + Names.NAME_PATTERN);
      return Optional.empty();
    }

    KeyState state() {
      Object value = json.getValue("state");
      Optional<KeyState> state = value == null
          ? Optional.of(KeyState.ACTIVE)
          : KeyState.of(value instanceof String word ? word : "");
      if (state.isEmpty()) {
        mistake("state", "active, frozen or disabled");
      }
      return state.orElse(KeyState.ACTIVE);
    }

    List<TimedOverride> overrides() {
      Object value = json.getValue("overrides");
      if (value == null) {
        return List.of();
      }
      List<TimedOverride> overrides = new ArrayList<>();
      if (value instanceof JsonArray list && list.size() <= MOST_OVERRIDES) {
        for (int i = 0; i < list.size(); i++) {
          if (list.getValue(i) instanceof JsonObject one) {
            JsonObject fields = one.copy();
            Object until = fields.remove(TimedOverride.UNTIL);
            overrides.add(new TimedOverride(
                fields,
                InstantText.read(until, "overrides[%d].until".formatted(i), nowMillis, mistakes)));
          } else {
            mistake("overrides[%d]".formatted(i), "an override as in the policy");
          }
        }
        if (list.encode().length() > MOST_BYTES_OF_OVERRIDES) {
          mistake("overrides", "at most %d bytes of JSON".formatted(MOST_BYTES_OF_OVERRIDES));
        }
        return overrides;
      }
      mistake("overrides", "a list of at most %d overrides".formatted(MOST_OVERRIDES));
      return List.of();
    }

    Map<String, String> labels() {
      Object value = json.getValue("labels");
      if (value == null) {
        return Map.of();
      }
      Map<String, String> labels = new LinkedHashMap<>();
      if (value instanceof JsonObject object && object.size() <= MOST_LABELS) {
        object.forEach(one -> {
          if (Names.isName(one.getKey()) && isText(one.getValue())) {
            labels.put(one.getKey(), (String) one.getValue());
          }
        });
        if (labels.size() == object.size()) {
          return labels;
        }
      }
      mistake(
          "labels",
          "an object of at most %d texts of up to %d characters, by names of the form %s"
              .formatted(MOST_LABELS, MOST_CHARACTERS, Names.NAME_PATTERN));
      return Map.of();
    }

    String note() {
      Object value = json.getValue("note");
      if (value == null || isText(value)) {
        return value == null ? "" : (String) value;
      }
      mistake("note", "a line of up to %d characters".formatted(MOST_CHARACTERS));
      return "";
    }

    OptionalInt mostKeys() {
      Object value = json.getValue(MAX_KEYS);
      if (value == null) {
        return OptionalInt.empty();
      }
      if (value instanceof Integer most && most >= 0 && most <= MOST_KEYS) {
        return OptionalInt.of(most);
      }
      mistake(MAX_KEYS, "0 to %d".formatted(MOST_KEYS));
      return OptionalInt.empty();
    }

    private static boolean isText(@Nullable Object value) {
      return value instanceof String text
          && text.length() <= MOST_CHARACTERS
          && text.matches(NO_CONTROL)
          && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
  }
}
