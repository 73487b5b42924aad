package io.weir.state.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.netty.channel.ConnectTimeoutException;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Classifies errors of Redis as an outage, or as a reachable but unusable Redis. By the first word of its errors
 * (Redis, documentation of the protocol, "Simple errors"), and by the exceptions of its clients.
 */
public final class Faults {
  private static final int MAX_CAUSES = 10;

  /** By the first word of an error of Redis. */
  private static final Map<StoreFault, List<String>> WORDS = Map.of(
      StoreFault.REFUSED,
      List.of("NOAUTH", "WRONGPASS", "NOPERM", "OOM", "MISCONF", "DENIED"),
      // A failover, or a start: the next Redis that answers takes over.
      StoreFault.UNREACHABLE,
      List.of("READONLY", "MASTERDOWN", "LOADING", "CLUSTERDOWN", "NOREPLICAS", "UNBLOCKED"),
      StoreFault.SLOW,
      List.of("BUSY", "TRYAGAIN"),
      StoreFault.DATA,
      List.of("WRONGTYPE"));

  private Faults() {}

  /** The fault of an error; an unknown error is no outage. */
  public static StoreFault of(Throwable error) {
    return known(error).orElse(StoreFault.MISCONFIGURED);
  }

  /** The same; empty for an error that is not known. */
  static Optional<StoreFault> known(Throwable error) {
    @Nullable Throwable cause = error;
    @Nullable StoreFault found = null;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof StoreUnavailableException known) {
        return Optional.of(known.fault());
      }
      StoreFault own = own(cause);
      // The innermost cause is the most exact: a refused password ends as a failed connection.
      found = own == null ? found : own;
      cause = cause.getCause();
    }
    return Optional.ofNullable(found);
  }

  /** The message of an error; the name of its class where it has none. */
  public static String message(Throwable error) {
    return error.getMessage() == null || error.getMessage().isBlank()
        ? error.getClass().getSimpleName()
        : error.getMessage();
  }

  /** Whether Redis does not know a script by its digest. */
  public static boolean isUnknownScript(Throwable error) {
    return error instanceof RedisNoScriptException
        || error.getCause() instanceof RedisNoScriptException;
  }

  /** Whether Redis does not know a function. */
  public static boolean isUnknownFunction(Throwable error) {
    return contains(error, "Function not found");
  }

  /** Whether Redis, or its operator, allows this user no functions at all. */
  public static boolean isWithoutFunctions(Throwable error) {
    return contains(error, "unknown command")
        || (says(error, "NOPERM") && (contains(error, "'fcall") || contains(error, "'function")));
  }

  /** Whether a library of functions was there already. */
  static boolean isLoaded(Throwable error) {
    return contains(error, "already exists");
  }

  /** Whether Redis has no memory left. */
  static boolean isFull(Throwable error) {
    return says(error, "OOM");
  }

  private static boolean contains(Throwable error, String part) {
    @Nullable Throwable cause = error;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (String.valueOf(cause.getMessage()).contains(part)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether a connection was closed while it was made: Lettuce may notice that before it learns the reason. */
  static boolean isClosedEarly(Throwable error) {
    return contains(error, "closed prematurely")
        || LinkClient.root(error) instanceof ClosedChannelException;
  }

  /** Whether a connection was not made in time, to one of several servers perhaps. */
  static boolean isUnanswered(Throwable error) {
    return error instanceof RedisCommandTimeoutException
        || error instanceof ConnectTimeoutException
        || Stream.concat(Stream.ofNullable(error.getCause()), Stream.of(error.getSuppressed()))
            .anyMatch(Faults::isUnanswered);
  }

  /** Whether a replica answered that was the master a moment ago. */
  static boolean isReadOnly(Throwable error) {
    return says(error, "READONLY");
  }

  /** Whether a node of a Redis Cluster redirects to another node for the keys. */
  static boolean isRedirect(Throwable error) {
    return says(error, "MOVED") || says(error, "ASK");
  }

  /** Whether the keys are being moved from one node of a Redis Cluster to another. */
  public static boolean isMigrating(Throwable error) {
    return says(error, "TRYAGAIN");
  }

  private static boolean says(Throwable error, String word) {
    @Nullable Throwable cause = error;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (says(String.valueOf(cause.getMessage()), word)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static @Nullable StoreFault own(Throwable error) {
    if (error instanceof TimeoutException || error instanceof RedisCommandTimeoutException) {
      return StoreFault.SLOW;
    }
    String message = String.valueOf(error.getMessage());
    for (Map.Entry<StoreFault, List<String>> entry : WORDS.entrySet()) {
      if (entry.getValue().stream().anyMatch(word -> says(message, word))) {
        return entry.getKey();
      }
    }
    if (error instanceof RedisCommandExecutionException || error instanceof SSLException) {
      return StoreFault.MISCONFIGURED; // it answered
    }
    boolean isOfConnection = error instanceof RedisException || error instanceof IOException;
    return isOfConnection ? StoreFault.UNREACHABLE : null;
  }

  // Redis 6 repeats the errors of commands within those of scripts.
  private static boolean says(String message, String word) {
    return message.startsWith(word + " ")
        || message.startsWith("ERR " + word + " ") // raised again by a script
        || message.contains("-" + word + " ");
  }
}
