package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.SecretHash;
import io.weir.keys.record.InstantText;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Many keys in one request, with the hashes of their secrets. Each is written for itself: one that is there already as
 * it is asked for is left alone, so that an import may be repeated from any place.
 */
public final class ImportDoor implements Door {
  private static final int MOST_KEYS = 500;
  private static final int MAX_BYTES = 2 << 20;
  private static final Set<String> FIELDS = fields();
  private static final Set<String> OF_SECRET = Set.of("hash", "until", "whole");

  private final RecordService desk;

  public ImportDoor(RecordService desk) {
    this.desk = desk;
  }

  private static Set<String> fields() {
    Set<String> fields = new TreeSet<>(Settings.FIELDS);
    fields.addAll(List.of("id", "tenant", "secrets"));
    return fields;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.post("/v1/key-imports", this::take));
  }

  /** The outcome for one key. */
  private enum Outcome {
    CREATED,
    REPLACED,
    SAME
  }

  private Future<Void> take(RoutedRequest request) {
    Operator operator = desk.operators().require(request.http(), Scope.KEYS);
    return desk.body(request, MAX_BYTES, RecordRequest.INVALID).compose(body -> {
      List<String> mistakes = new ArrayList<>(0);
      RecordRequest.requireKnown(body, Set.of("keys", "replace"), mistakes);
      boolean isList = body.getValue("keys") instanceof JsonArray list
          && !list.isEmpty()
          && list.size() <= MOST_KEYS;
      if (!isList) {
        mistakes.add("keys: (expected: a list of 1 to %d keys)".formatted(MOST_KEYS));
      }
      boolean replaces = Boolean.TRUE.equals(body.getValue("replace"));
      if (!mistakes.isEmpty()) {
        throw RecordService.invalid(RecordRequest.INVALID, mistakes);
      }
      return take(request, operator, body.getJsonArray("keys"), replaces);
    });
  }

  private Future<Void> take(
      RoutedRequest request, Operator operator, JsonArray keys, boolean replaces) {
    Tenants tenants = new Tenants();
    List<Future<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      Object key = keys.getValue(i);
      outcomes.add(
          Future.succeededFuture().compose(begun -> one(key, operator, replaces, tenants)));
    }
    return Future.join(outcomes).transform(done -> {
      JsonObject answer = new JsonObject();
      for (Outcome outcome : Outcome.values()) {
        answer.put(
            outcome.name().toLowerCase(Locale.ROOT),
            outcomes.stream().filter(one -> one.result() == outcome).count());
      }
      JsonArray failed = new JsonArray();
      for (int i = 0; i < outcomes.size(); i++) {
        if (outcomes.get(i).failed()) {
          failed.add(failure(i, outcomes.get(i).cause()));
        }
      }
      answer.put("failed", failed);
      return audited(operator, answer).compose(audit -> request.answer(200, answer));
    });
  }

  private Future<Void> audited(Operator operator, JsonObject answer) {
    boolean isChange = answer.getLong("created") + answer.getLong("replaced") > 0;
    JsonObject after = answer.copy().put("failed", answer.getJsonArray("failed").size());
    return isChange
        ? desk.of(desk.audit().add(operator.name(), "import", "keys", "", after.encode()))
        : Future.succeededFuture();
  }

  private static JsonObject failure(int index, Throwable error) {
    Throwable cause = RefusedException.of(error);
    return cause instanceof RefusedException refused
        ? new JsonObject().put("index", index).mergeIn(refused.problem().toJson())
        : new JsonObject().put("index", index).put("code", "failed");
  }

  private Future<Outcome> one(Object asked, Operator operator, boolean replaces, Tenants tenants) {
    StoredRecord entry = read(asked, operator);
    WholeTexts texts = new WholeTexts(desk);
    return tenants
        .of(entry.name().tenant())
        .compose(tenant -> {
          RecordRequest.requireFits(desk.policy(), entry, tenant);
          return texts.claim(entry);
        })
        .compose(claimed -> desk.put(new Change(
            Change.SILENT, entry.history().created(), Optional.empty(), Optional.of(entry))))
        .compose(version -> version.isPresent()
            ? Future.succeededFuture(Outcome.CREATED)
            : present(entry, replaces))
        .recover(error -> texts.releaseUnused(entry).transform(done -> Future.failedFuture(error)));
  }

  private Future<Outcome> present(StoredRecord entry, boolean replaces) {
    return desk.of(desk.records().find(RecordType.KEY, entry.name().id())).compose(stored -> {
      StoredRecord before = stored
          .filter(it -> it.name().tenant().equals(entry.name().tenant()))
          .orElseThrow(() -> new RefusedException(KeysDoor.EXISTS));
      if (before.settings().equals(entry.settings()) && before.secrets().equals(entry.secrets())) {
        return Future.succeededFuture(Outcome.SAME);
      }
      if (!replaces) {
        throw new RefusedException(KeysDoor.EXISTS);
      }
      return desk.put(
              new Change(Change.SILENT, entry.history().changed(), stored, Optional.of(entry)))
          .compose(version -> {
            if (version.isEmpty()) {
              throw new RefusedException(KeysDoor.EXISTS);
            }
            return new WholeTexts(desk).release(before, Optional.of(entry)).map(Outcome.REPLACED);
          });
    });
  }

  /** The records of tenants, each read once for a request. Mutable; owned by one request. */
  private final class Tenants {
    private final Map<String, Future<Optional<StoredRecord>>> read = new HashMap<>();

    Future<Optional<StoredRecord>> of(String tenant) {
      return read.computeIfAbsent(
          tenant, name -> desk.of(desk.records().find(RecordType.TENANT, name)));
    }
  }

  private StoredRecord read(Object asked, Operator operator) {
    List<String> mistakes = new ArrayList<>(0);
    if (!(asked instanceof JsonObject json)) {
      throw RecordService.invalid(RecordRequest.INVALID, List.of("(expected: an object)"));
    }
    RecordRequest.requireKnown(json, FIELDS, mistakes);
    Optional<String> id = RecordRequest.text(json, "id", Names.SUBJECT_PATTERN, mistakes);
    Optional<String> tenant = RecordRequest.text(json, "tenant", Names.ID_PATTERN, mistakes);
    long now = desk.nowMillis("any");
    Settings settings = Settings.sent(json, now, mistakes);
    List<Secret> secrets = secrets(json, now, mistakes);
    if (!secrets.isEmpty() && id.filter(name -> !Names.isId(name)).isPresent()) {
      mistakes.add("secrets: (expected: none, as the name of this subject is no id of a key)");
    }
    if (json.getValue("id") == null || json.getValue("tenant") == null) {
      mistakes.add("id, tenant: (expected: both)");
    }
    if (!mistakes.isEmpty()) {
      throw RecordService.invalid(RecordRequest.INVALID, mistakes);
    }
    if (desk.policy().listed(id.orElseThrow()).isPresent()) {
      throw new RefusedException(KeysDoor.IN_POLICY);
    }
    Stamp stamp = new Stamp(now, operator.name());
    StoredRecord entry = new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, id.orElseThrow(), tenant.orElseThrow()),
        settings,
        secrets,
        "",
        StoredRecord.History.begun(stamp));
    return entry;
  }

  private static List<Secret> secrets(JsonObject json, long now, List<String> mistakes) {
    Object value = json.getValue("secrets");
    List<Secret> secrets = new ArrayList<>();
    if (value instanceof JsonArray list && list.size() <= StoredRecord.MOST_SECRETS) {
      for (int i = 0; i < list.size(); i++) {
        secret(list.getValue(i), "secrets[%d]".formatted(i), now, mistakes).ifPresent(secrets::add);
      }
    } else if (value != null) {
      mistakes.add(
          "secrets: (expected: a list of at most %d)".formatted(StoredRecord.MOST_SECRETS));
    }
    return secrets;
  }

  private static Optional<Secret> secret(
      Object value, String place, long now, List<String> mistakes) {
    boolean isSound = value instanceof JsonObject one
        && OF_SECRET.containsAll(one.fieldNames())
        && one.getValue("hash") instanceof String hash
        && SecretHash.isFormatted(hash);
    if (!isSound) {
      mistakes.add("%s: (expected: hash, sha256: and 64 hexadecimal digits, and maybe until, whole)"
          .formatted(place));
      return Optional.empty();
    }
    JsonObject json = (JsonObject) value;
    return Optional.of(new Secret(
        SecretHash.parse(json.getString("hash")),
        InstantText.read(json.getValue("until"), place + ".until", now, mistakes),
        Boolean.TRUE.equals(json.getValue("whole"))));
  }
}
