package io.weir.keys.record;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The record of a key or a tenant. Immutable.
 *
 * @param secrets of a key; each is valid until its end
 * @param retry the proof that a repeated request asks for the same new key; empty for none
 */
public record StoredRecord(
    Name name, Settings settings, List<Secret> secrets, String retry, History history) {
  /**
   * The kind and the id of a record, and its tenant.
   *
   * @param tenant that a key belongs to; of a tenant its own name
   */
  public record Name(RecordType kind, String id, String tenant) {}

  /**
   * Its changes.
   *
   * @param version changes with each change, never to an older one; 0 before it is stored
   */
  public record History(Stamp created, Stamp changed, long version) {
    /** The history of a record that is not stored yet. */
    public static History begun(Stamp now) {
      return new History(now, now, 0);
    }

    private History changed(Stamp now) {
      return new History(created, now, version);
    }
  }

  /** The most secrets of a key at a time. */
  public static final int MOST_SECRETS = 4;

  private static final String VERSION = "version";

  public StoredRecord {
    secrets = List.copyOf(secrets);
  }

  /** The same with other settings. */
  public StoredRecord with(Settings other, Stamp now) {
    return new StoredRecord(name, other, secrets, "", history.changed(now));
  }

  /** The same with other secrets. */
  public StoredRecord withSecrets(List<Secret> other, Stamp now) {
    return new StoredRecord(name, settings, other, "", history.changed(now));
  }

  /** The same with a proof of the request that made it. */
  public StoredRecord retriedBy(String proof) {
    return new StoredRecord(name, settings, secrets, proof, history);
  }

  /** The secret that this text is, if it is valid at this moment; takes the same time for all of them. */
  public boolean isOpenedBy(String secret, long nowMillis) {
    boolean opens = false;
    for (Secret one : secrets) {
      boolean matches = one.hash().matches(secret);
      opens |= matches && one.isValidAt(nowMillis);
    }
    return opens;
  }

  /** Whether it has not ended by this moment. */
  public boolean isUsableAt(long nowMillis) {
    return settings.validity().state() != KeyState.DISABLED
        && (settings.validity().expiresMillis().isEmpty()
            || nowMillis < settings.validity().expiresMillis().getAsLong());
  }

  /** The fields in Redis, name and value alternating, without the version. */
  public List<String> toFields() {
    return fieldsByName().entrySet().stream()
        .flatMap(one -> Stream.of(one.getKey(), one.getValue()))
        .toList();
  }

  /** The fields in Redis by name, without the version. */
  public Map<String, String> fieldsByName() {
    Map<String, String> fields = new LinkedHashMap<>();
    if (name.kind() == RecordType.KEY) {
      fields.put("tenant", name.tenant());
    }
    settings.plan().ifPresent(plan -> fields.put("plan", plan));
    if (settings.validity().state() != KeyState.ACTIVE) {
      fields.put("state", settings.validity().state().word());
    }
    if (!secrets.isEmpty()) {
      fields.put("secrets", secrets.stream().map(Secret::text).collect(Collectors.joining(" ")));
    }
    settings.validity().expiresMillis().ifPresent(at -> fields.put("expires", Long.toString(at)));
    if (!settings.overrides().isEmpty()) {
      fields.put("overrides", settings.overridesJson().encode());
    }
    if (!settings.labels().isEmpty()) {
      fields.put("labels", settings.labelsJson().encode());
    }
    if (!settings.note().isEmpty()) {
      fields.put("note", settings.note());
    }
    settings.mostKeys().ifPresent(most -> fields.put(Settings.MAX_KEYS, Integer.toString(most)));
    if (!retry.isEmpty()) {
      fields.put("retry", retry);
    }
    fields.put("created", history.created().text());
    if (!history.changed().equals(history.created())) {
      fields.put("changed", history.changed().text());
    }
    return fields;
  }

  /**
   * Reads the fields in Redis; empty if there are none.
   *
   * @throws IllegalArgumentException if someone else has written them; the message repeats no value
   */
  public static Optional<StoredRecord> of(RecordType kind, String id, Map<String, String> fields) {
    if (fields.isEmpty()) {
      return Optional.empty();
    }
    try {
      Stamp created = Stamp.parse(fields.getOrDefault("created", "0 unknown"));
      String changed = fields.get("changed");
      return Optional.of(new StoredRecord(
          new Name(kind, id, kind == RecordType.KEY ? fields.getOrDefault("tenant", "") : id),
          settings(fields),
          secrets(fields.getOrDefault("secrets", "")),
          fields.getOrDefault("retry", ""),
          new History(
              created,
              changed == null ? created : Stamp.parse(changed),
              Long.parseLong(fields.getOrDefault(VERSION, "0")))));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "the record of the %s %s cannot be read".formatted(kind.word(), id), e);
    }
  }

  private static Settings settings(Map<String, String> fields) {
    JsonObject json = new JsonObject();
    json.put("plan", fields.get("plan")).put("state", fields.get("state"));
    json.put("note", fields.get("note"));
    if (fields.containsKey("overrides")) {
      json.put("overrides", JsonInput.value(Buffer.buffer(fields.get("overrides"))));
    }
    if (fields.containsKey("labels")) {
      json.put("labels", JsonInput.object(fields.get("labels")));
    }
    if (fields.containsKey("expires")) {
      json.put(
          "expires", Instant.ofEpochMilli(Long.parseLong(fields.get("expires"))).toString());
    }
    if (fields.containsKey(Settings.MAX_KEYS)) {
      json.put(Settings.MAX_KEYS, Integer.valueOf(fields.get(Settings.MAX_KEYS)));
    }
    List<String> mistakes = new ArrayList<>(0);
    Settings settings = Settings.read(json, 0, mistakes);
    if (!mistakes.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", mistakes));
    }
    return settings;
  }

  private static List<Secret> secrets(String text) {
    return text.isEmpty()
        ? List.of()
        : Stream.of(text.split(" ", -1)).map(Secret::parse).toList();
  }

  /** For operators: never a secret or its hash. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject().put("id", name.id());
    if (name.kind() == RecordType.KEY) {
      json.put("tenant", name.tenant());
    }
    json.mergeIn(settings.toJson());
    if (name.kind() == RecordType.KEY) {
      JsonArray ends = new JsonArray();
      secrets.forEach(secret -> ends.add(end(secret.endsMillis())));
      json.put("secrets", ends);
    }
    return json.put("created", stamp(history.created()))
        .put("changed", stamp(history.changed()))
        .put(VERSION, history.version());
  }

  /** For backups: with the hashes of its secrets, as an import reads them. */
  public JsonObject toExport() {
    JsonObject json = toJson();
    JsonArray all = new JsonArray();
    secrets.forEach(secret -> all.add(exported(secret)));
    json.put("secrets", all);
    json.remove("created");
    json.remove("changed");
    json.remove(VERSION);
    return json;
  }

  private static JsonObject exported(Secret secret) {
    JsonObject json = end(secret.endsMillis()).put("hash", secret.hash().formatted());
    return secret.isWhole() ? json.put("whole", true) : json;
  }

  private static JsonObject end(OptionalLong at) {
    JsonObject json = new JsonObject();
    at.ifPresent(millis -> json.put("until", Instant.ofEpochMilli(millis).toString()));
    return json;
  }

  private static JsonObject stamp(Stamp stamp) {
    return new JsonObject()
        .put("at", Instant.ofEpochMilli(stamp.atMillis()).toString())
        .put("by", stamp.by());
  }
}
