package io.weir.node;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import io.vertx.core.transport.Transport;
import io.weir.node.trace.Tracing;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs threads that are blocked by one task for too long: at most one line a minute, with the worst block since the
 * last line. Each stack is logged at level debug. Mutable; used by the one thread that checks the others.
 */
final class BlockedThreads {
  private static final Logger LOG = LoggerFactory.getLogger(BlockedThreads.class);
  /** The longest time a task may block an event loop; a longer block is logged with its stack. */
  private static final long BLOCKED_MILLIS = 100;

  private static final long EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final String OURS = "io.weir.";

  private final Consumer<String> lines;
  private final LongSupplier nanoClock;
  private @Nullable Long lineNanos;
  private long seen;
  private long worstNanos;
  private String worst = "";

  BlockedThreads(Consumer<String> lines, LongSupplier nanoClock) {
    this.lines = lines;
    this.nanoClock = nanoClock;
  }

  /** A Vert.x with so many event loops, whose threads are watched. */
  static Vertx watched(int eventLoops, Tracing tracing, Transport transport) {
    VertxOptions options = new VertxOptions()
        .setEventLoopPoolSize(eventLoops)
        .setMaxEventLoopExecuteTime(BLOCKED_MILLIS)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setWarningExceptionTime(BLOCKED_MILLIS)
        .setWarningExceptionTimeUnit(TimeUnit.MILLISECONDS)
        .setBlockedThreadCheckInterval(BLOCKED_MILLIS)
        .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS)
        .setFileSystemOptions(withoutCache());
    Vertx vertx = Vertx.builder()
        .with(options)
        .withTracer(tracing.http())
        .withTransport(transport)
        .build();
    watch(vertx);
    return vertx;
  }

  // A node reads nothing of its class path through Vert.x, which would make a directory for that at
  // each start, and leave it behind if the node is killed.
  private static FileSystemOptions withoutCache() {
    return new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false);
  }

  /** Replaces Vert.x's own log, which prints a stack for each block. */
  static void watch(Vertx vertx) {
    BlockedThreads blocked = new BlockedThreads(LOG::warn, System::nanoTime);
    ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(blocked::look);
  }

  void look(BlockedThreadEvent event) {
    StackTraceElement[] stack = event.thread().getStackTrace();
    logStack(event, stack);
    seen++;
    if (event.duration() > worstNanos) {
      worstNanos = event.duration();
      worst = "%s %s".formatted(event.thread().getName(), where(stack));
    }
    long now = nanoClock.getAsLong();
    if (lineNanos == null || now - lineNanos >= EVERY_NANOS) {
      lines.accept(line(event));
      lineNanos = now;
      seen = 0;
      worstNanos = 0;
    }
  }

  private String line(BlockedThreadEvent event) {
    return "Thread blocked: a task takes more than %d ms, seen %d times since the last such line; the longest %d ms, %s"
        .formatted(millis(event.maxExecTime()), seen, millis(worstNanos), worst);
  }

  private static void logStack(BlockedThreadEvent event, StackTraceElement[] stack) {
    if (LOG.isDebugEnabled()) {
      Throwable where = new Throwable(event.thread().getName());
      where.setStackTrace(stack);
      LOG.debug("Thread blocked for {} ms", millis(event.duration()), where);
    }
  }

  // The blocked frame, and the frame of Weir's code that led to it.
  private static String where(StackTraceElement[] stack) {
    Stream<StackTraceElement> ours =
        Arrays.stream(stack).filter(frame -> frame.getClassName().startsWith(OURS));
    return Stream.concat(Arrays.stream(stack).limit(1), ours.limit(1))
        .distinct()
        .map(frame -> "at %s.%s:%d"
            .formatted(frame.getClassName(), frame.getMethodName(), frame.getLineNumber()))
        .reduce((top, from) -> top + ", called " + from)
        .orElse("idle again");
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
