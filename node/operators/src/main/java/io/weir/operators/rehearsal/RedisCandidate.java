package io.weir.operators.rehearsal;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The candidate for the policy that all nodes rehearse, in Redis until its time is over. Safe for use by many threads;
 * failures are {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisCandidate {
  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("rehearsal", List.of("rehearsal_put", "rehearsal_look", "rehearsal_end"));
  private static final List<String> KEYS = List.of(RedisKeys.REHEARSAL);
  private static final int ID_DIGITS = 10;

  private final RedisLibrary library;

  public RedisCandidate(RedisConnections redis) {
    this.library = new RedisLibrary(redis, LIBRARY);
  }

  /**
   * A candidate as it is stored.
   *
   * @param isKnown whether it is the one that was named; then the rest is empty
   */
  public record Stored(
      String id, boolean isKnown, String by, Instant since, Instant until, String document) {
    /** The candidate, read; throws {@link io.weir.core.policy.InvalidPolicyException} if it is no policy. */
    public Candidate read() {
      return new Candidate(
          id, by, since, until, PolicyDocuments.parse("candidate", document).policy());
    }
  }

  /** Stores a candidate instead of the one before, and returns its id. */
  public CompletableFuture<String> put(String by, Duration lasts, String document) {
    String id = "c" + UUID.randomUUID().toString().replace("-", "").substring(0, ID_DIGITS);
    return library
        .run("rehearsal_put", KEYS, List.of(id, by, Long.toString(lasts.toMillis()), document))
        .thenApply(answer -> id);
  }

  /** The candidate that is stored; the document only if it is another one than the known one. */
  public CompletableFuture<Optional<Stored>> look(String knownId) {
    return library.run("rehearsal_look", KEYS, List.of(knownId)).thenApply(RedisCandidate::stored);
  }

  private static Optional<Stored> stored(List<Object> answer) {
    if (answer.isEmpty()) {
      return Optional.empty();
    }
    String id = (String) answer.get(0);
    return Optional.of(
        answer.size() == 1
            ? new Stored(id, true, "", Instant.EPOCH, Instant.EPOCH, "")
            : new Stored(
                id,
                false,
                (String) answer.get(1),
                moment(answer.get(2)),
                moment(answer.get(3)),
                (String) answer.get(4)));
  }

  private static Instant moment(Object millis) {
    return Instant.ofEpochMilli(Long.parseLong((String) millis));
  }

  /** Ends the rehearsal; returns whether there was one. */
  public CompletableFuture<Boolean> end() {
    return library
        .run("rehearsal_end", KEYS, List.of())
        .thenApply(answer -> !Long.valueOf(0).equals(answer.get(0)));
  }
}
