package io.weir.node.upstream;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.weir.core.policy.Upstream;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SendSlots failures of upstreams into problems, and logs them. Mutable; owned by its event loop. */
final class UpstreamFailures {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamFailures.class);
  private static final long LOG_EVERY_NANOS = 1_000_000_000;
  private static final ProblemDetails UNREACHABLE =
      ProblemDetails.of(502, "upstream_unreachable", "The upstream cannot be reached");
  private static final ProblemDetails INVALID =
      ProblemDetails.of(502, "upstream_invalid", "The upstream's answer cannot be understood");
  private static final ProblemDetails TIMEOUT =
      ProblemDetails.of(504, "upstream_timeout", "The upstream did not answer in time");

  private long loggedNanos = System.nanoTime() - LOG_EVERY_NANOS;
  private long notLogged;

  /** The problem to answer with if the upstream gave no answer. */
  ProblemDetails problem(Upstream upstream, Throwable error) {
    if (error instanceof RefusedException refusal) {
      return refusal.problem();
    }
    boolean wasSent = !(error instanceof NotSentException);
    Throwable cause = wasSent || error.getCause() == null ? error : error.getCause();
    log(upstream, cause);
    return kind(cause).with("sent", wasSent);
  }

  // Without the error's message: it may contain the whole URI, with secrets of the caller. At most
  // once a second, as callers decide how often it happens.
  private void log(Upstream upstream, Throwable cause) {
    long now = System.nanoTime();
    if (now - loggedNanos < LOG_EVERY_NANOS) {
      notLogged++;
      return;
    }
    LOG.warn(
        "upstream {}: {} (and {} failures since the last line)",
        upstream.uri().getAuthority(),
        cause.getClass().getSimpleName(),
        notLogged);
    loggedNanos = now;
    notLogged = 0;
  }

  private static ProblemDetails kind(Throwable cause) {
    if (cause instanceof TimeoutException || cause instanceof ConnectTimeoutException) {
      return TIMEOUT;
    }
    return cause instanceof InvalidAnswerException
            || cause instanceof IllegalArgumentException
            || cause instanceof DecoderException
        ? INVALID
        : UNREACHABLE;
  }
}
