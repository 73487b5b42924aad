package io.weir.node.trace;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.ContextLocal;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The trace that the request which is served here belongs to: the one that its caller names in the header {@code
 * traceparent} (W3C Trace Context, level 1, section 3.2), or the one that this node began. Known wherever a request is
 * served on its Vert.x context.
 */
public final class RequestTrace implements VertxServiceProvider {
  private static final ContextLocal<HttpServerRequest> REQUEST =
      ContextLocal.registerLocal(HttpServerRequest.class);
  private static final ContextLocal<String> BEGUN_HERE = ContextLocal.registerLocal(String.class);

  private static final String HEADER = "traceparent";
  private static final Pattern FORM = Pattern.compile(
      "(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}.*");
  private static final int ID_BEGIN = 3;
  private static final int ID_END = 35;
  private static final int MOST_CHARS = 256;

  /** Called by Vert.x, so that the storage is there before its first context. */
  public RequestTrace() {}

  @Override
  public void init(VertxBootstrap vertx) {
    // The class is loaded by now, and that was all.
  }

  /** Remembers the request that is served on this context. */
  public static void serve(HttpServerRequest request) {
    here().ifPresent(context -> REQUEST.put(context, request));
  }

  /** Sets the trace of the request on a context, which this node records. */
  public static void begin(Context context, String traceId) {
    BEGUN_HERE.put(context, traceId);
  }

  /** The context of the request that is served here, to ask it later for its trace. */
  public static Optional<Context> here() {
    return Optional.ofNullable(Vertx.currentContext());
  }

  /** The id of the trace, 32 hexadecimal digits; empty if the request has none, or none is served here. */
  public static Optional<String> id() {
    return here().flatMap(RequestTrace::id);
  }

  /** The same for the request that is served on a context. */
  public static Optional<String> id(Context context) {
    return Optional.ofNullable(BEGUN_HERE.get(context))
        .or(() -> Optional.ofNullable(REQUEST.get(context))
            .flatMap(request -> idIn(request.getHeader(HEADER))));
  }

  /** The id of the trace that a header names, if it is well formed. */
  static Optional<String> idIn(@Nullable String header) {
    return Optional.ofNullable(header)
        .filter(text -> text.length() <= MOST_CHARS && FORM.matcher(text).matches())
        .map(text -> text.substring(ID_BEGIN, ID_END));
  }
}
