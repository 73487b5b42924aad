package io.weir.keys.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.keys.directory.KnownKeys;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.keys.store.RedisRecords;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.VersionTag;
import io.weir.node.auth.Identities;
import io.weir.node.auth.KeyPrefix;
import io.weir.node.auth.Operator;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.RoutedRequest;
import io.weir.state.audit.RedisAudit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * The common part of the doors for keys, tenants and tokens: bodies, records, and the conditions of changes. For one
 * event loop.
 */
public final class RecordService {
  static final int MAX_BYTES = 64 << 10;
  static final int TRIES = 5;
  private static final ProblemDetails RECORD_CHANGED = ProblemDetails.of(
      412, "record_changed", "The record has another version than If-Match names");
  private static final ProblemDetails RECORD_EXISTS = ProblemDetails.of(
      412, "record_changed", "There is a record, and If-None-Match demands that there is none");
  static final ProblemDetails BUSY = ProblemDetails.of(
      503, "record_busy", "The record was changed by others again and again: ask once more");

  private final Context context;
  private final OperatorBodies bodies;
  private final RedisRecords records;
  private final KnownKeys known;
  private final NodeParts node;
  private final RedisAudit audit;

  public RecordService(Vertx vertx, RedisRecords records, KnownKeys known, NodeParts node) {
    this.context = vertx.getOrCreateContext();
    this.bodies = new OperatorBodies(vertx, node.memory());
    this.records = records;
    this.known = known;
    this.node = node;
    this.audit = new RedisAudit(node.redis());
  }

  RedisRecords records() {
    return records;
  }

  RedisAudit audit() {
    return audit;
  }

  Operators operators() {
    return node.operators();
  }

  Identities identities() {
    return node.identities();
  }

  Policy policy() {
    return node.policies().current().policy();
  }

  /** When something is done to the record with this name, by Redis's clock. */
  Stamp stamp(String id, Operator by) {
    return new Stamp(nowMillis(id), by.name());
  }

  long nowMillis(String id) {
    long now = known.nowMillis(id);
    if (now == 0) {
      throw new RefusedException(ProblemDetails.unavailable());
    }
    return now;
  }

  /** The result of a call to the shared state, on this event loop. */
  <T> Future<T> of(CompletableFuture<T> stage) {
    return Future.fromCompletionStage(stage, context)
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }

  /** The body as an object; an empty one is an empty object. */
  Future<JsonObject> body(RoutedRequest request, int maxBytes, String code) {
    return bodies.object(request, maxBytes, code);
  }

  static RefusedException invalid(String code, List<String> mistakes) {
    return OperatorBodies.invalid(code, mistakes);
  }

  static RefusedException unknown(RecordType kind) {
    return new RefusedException(ProblemDetails.of(
        404, kind.word() + "_unknown", "There is no record of this " + kind.word()));
  }

  /** The record; 404 if absent, or if owned by another tenant than the operator's. */
  Future<StoredRecord> find(RecordType kind, String id, Operator operator) {
    return of(records.find(kind, id))
        .map(entry -> entry
            .filter(it -> operator.mayFor(it.name().tenant(), Operator.Scope.READ))
            .orElseThrow(() -> new RefusedException(
                KeyPrefix.explained(unknown(kind).problem(), kind == RecordType.KEY ? id : ""))));
  }

  /** The record of a key, to change it: if the policy lists a key without one, the refusal says where it is changed. */
  Future<StoredRecord> keyToChange(String id, Operator operator) {
    return find(RecordType.KEY, id, operator)
        .recover(error -> Future.failedFuture(
            isNotFound(error) && listsFor(id, operator)
                ? new RefusedException(KeysDoor.IN_POLICY)
                : error));
  }

  private static boolean isNotFound(Throwable error) {
    return error instanceof RefusedException refused && refused.problem().status() == 404;
  }

  /** Whether the policy lists a key, for an operator who may know the policy: one of all tenants. */
  boolean listsFor(String id, Operator operator) {
    return operator.tenant().isEmpty() && policy().listed(id).isPresent();
  }

  /**
   * Changes a record, again if another change comes between. An edit without effect changes nothing: the record keeps its
   * version, and the audit gets no line.
   *
   * @param edit makes the record anew; it may throw a refusal
   */
  Future<StoredRecord> change(
      RoutedRequest request,
      StoredRecord seen,
      String what,
      Stamp stamp,
      UnaryOperator<StoredRecord> edit) {
    return change(request.http(), seen, what, stamp, edit, TRIES);
  }

  private Future<StoredRecord> change(
      HttpServerRequest request,
      StoredRecord seen,
      String what,
      Stamp stamp,
      UnaryOperator<StoredRecord> edit,
      int tries) {
    requireMatch(request, seen);
    StoredRecord edited = edit.apply(seen);
    if (edited.settings().equals(seen.settings()) && edited.secrets().equals(seen.secrets())) {
      return Future.succeededFuture(seen);
    }
    return put(new Change(what, stamp, Optional.of(seen), Optional.of(edited))).compose(version -> {
      if (version.isPresent()) {
        return Future.succeededFuture(at(edited, version.getAsLong()));
      }
      if (tries == 1) {
        throw new RefusedException(BUSY);
      }
      return of(records.find(seen.name().kind(), seen.name().id()))
          .map(entry -> sameOwner(seen, entry))
          .compose(entry -> change(request, entry, what, stamp, edit, tries - 1));
    });
  }

  /** The record after a change by others; it may have been deleted, and made again by another tenant. */
  static StoredRecord sameOwner(StoredRecord seen, Optional<StoredRecord> now) {
    return now.filter(entry -> entry.name().tenant().equals(seen.name().tenant()))
        .orElseThrow(() -> unknown(seen.name().kind()));
  }

  /** Puts a record; a question to this node right after it is answered by the changed one. */
  Future<OptionalLong> put(Change change) {
    return of(records.put(change)).map(version -> {
      version.ifPresent(it -> known.changed(change.listed(it)));
      return version;
    });
  }

  static StoredRecord at(StoredRecord entry, long version) {
    return new StoredRecord(
        new StoredRecord.Name(
            entry.name().kind(), entry.name().id(), entry.name().tenant()),
        entry.settings(),
        entry.secrets(),
        entry.retry(),
        new StoredRecord.History(entry.history().created(), entry.history().changed(), version));
  }

  static void requireMatch(HttpServerRequest request, StoredRecord entry) {
    String tags = request.getHeader(HttpHeaders.IF_MATCH);
    if (tags != null && !VersionTag.matches(tags, entry.history().version())) {
      throw new RefusedException(RECORD_CHANGED);
    }
  }

  /** Refuses a change of a record that is there, if the request wants to make it (RFC 9110, section 13.1.2). */
  static void requireWanted(HttpServerRequest request) {
    if ("*".equals(request.getHeader(HttpHeaders.IF_NONE_MATCH))) {
      throw new RefusedException(RECORD_EXISTS);
    }
  }

  static Future<Void> answer(
      RoutedRequest request, int status, StoredRecord entry, JsonObject json) {
    request.response().putHeader(HttpHeaders.ETAG, VersionTag.of(entry.history().version()));
    // A new key is in some of these answers.
    request.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    return request.answer(status, json);
  }
}
