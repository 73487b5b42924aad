package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.keys.record.KeyText;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Gives a key another secret; those before it stay valid for a while. */
record Rotation(RecordService desk, Secrets secrets) {
  private static final String OVERLAP = "overlapSeconds";
  private static final long USUAL_OVERLAP = 86_400;
  private static final long MOST_OVERLAP = 366 * 86_400L;
  private static final ProblemDetails FULL = ProblemDetails.of(
      409, "secrets_full", "The key has as many valid secrets as it may have: wait for an end");

  private static final ProblemDetails NO_KEY = ProblemDetails.of(
      409, "subject_without_secret", "The record is one of a subject: its name is no id of a key");

  Future<Void> serve(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    String id = KeyId.of(request);
    return desk.keyToChange(id, operator).compose(entry -> {
      if (!operator.mayFor(entry.name().tenant(), Scope.KEYS)) {
        throw Operators.forbidden();
      }
      if (!Names.isId(id)) {
        throw new RefusedException(NO_KEY);
      }
      return desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID)
          .compose(body -> rotate(request, entry, operator, body));
    });
  }

  private Future<Void> rotate(
      RoutedRequest request, StoredRecord entry, Operator operator, JsonObject body) {
    List<String> mistakes = new ArrayList<>(0);
    RecordRequest.requireKnown(body, Set.of(OVERLAP), mistakes);
    long overlap = overlap(body, mistakes);
    Secrets.Retry retry = secrets.retry(request.http(), operator, body, mistakes);
    if (!mistakes.isEmpty()) {
      throw RecordService.invalid(RecordRequest.INVALID, mistakes);
    }
    return rotate(request, entry, operator, new Wish(overlap * 1000, retry), RecordService.TRIES);
  }

  /** The settings of a rotation. */
  private record Wish(long overlapMillis, Secrets.Retry retry) {}

  // Others may rotate at the same time, and one of them may be this request repeated.
  private Future<Void> rotate(
      RoutedRequest request, StoredRecord seen, Operator operator, Wish wish, int tries) {
    String id = seen.name().id();
    Stamp now = desk.stamp(id, operator);
    Optional<KeyText> made = wish.retry().keyOf(seen, now.atMillis());
    if (made.isPresent()) {
      return answer(request, seen, made.get());
    }
    if (tries == 0) {
      throw new RefusedException(RecordService.BUSY);
    }
    RecordService.requireMatch(request.http(), seen);
    Secrets.Retry retry = wish.retry();
    KeyText key = retry.isAsked() ? retry.key(id, retry.salt()) : secrets.make(id);
    List<Secret> all = ending(seen.secrets(), now.atMillis(), wish.overlapMillis());
    if (all.size() >= StoredRecord.MOST_SECRETS) {
      throw new RefusedException(FULL);
    }
    all.add(secrets.of(key));
    StoredRecord rotated = seen.withSecrets(all, now).retriedBy(retry.proof());
    return desk.put(new Change("rotate", now, Optional.of(seen), Optional.of(rotated)))
        .compose(version -> version.isPresent()
            ? new WholeTexts(desk)
                .release(seen, Optional.of(rotated))
                .compose(
                    done -> answer(request, RecordService.at(rotated, version.getAsLong()), key))
            : desk.of(desk.records().find(RecordType.KEY, id))
                .map(entry -> RecordService.sameOwner(seen, entry))
                .compose(entry -> rotate(request, entry, operator, wish, tries - 1)));
  }

  private static Future<Void> answer(RoutedRequest request, StoredRecord entry, KeyText key) {
    return RecordService.answer(
        request, 200, entry, new JsonObject().put("key", key.text()).mergeIn(entry.toJson()));
  }

  private static long overlap(JsonObject body, List<String> mistakes) {
    Object value = body.getValue(OVERLAP, USUAL_OVERLAP);
    boolean isWhole = value instanceof Integer || value instanceof Long;
    long seconds = isWhole ? ((Number) value).longValue() : -1;
    if (seconds < 0 || seconds > MOST_OVERLAP) {
      mistakes.add("%s: (expected: 0 to %d)".formatted(OVERLAP, MOST_OVERLAP));
    }
    return seconds;
  }

  // No secret gets a later end than it had.
  private static List<Secret> ending(List<Secret> before, long nowMillis, long overlapMillis) {
    List<Secret> all = new ArrayList<>();
    for (Secret secret : before) {
      long end = Math.min(secret.endsMillis().orElse(Long.MAX_VALUE), nowMillis + overlapMillis);
      if (end > nowMillis) {
        all.add(new Secret(secret.hash(), OptionalLong.of(end), secret.isWhole()));
      }
    }
    return all;
  }
}
