package io.weir.node.log;

import io.weir.core.bucket.Names;
import org.jspecify.annotations.Nullable;

/**
 * The text of a line of the log, with its error. Libraries that read the data of callers and upstreams put it into the
 * messages of their errors: only the class and the stack of such errors are written.
 *
 * @param error the error with its causes and stacks, each on a line of its own; empty if there is none
 */
record LogText(String message, String error) {
  private static final int MAX_OWN = 1000;
  private static final int MAX_OF_LIBRARIES = 200;
  private static final String NO_TEXT = "a connection or a message of it is broken";
  private static final int FRAMES = 12;
  private static final int CAUSES = 4;

  /** Whether a logger is ours, so that its messages are ours, too. */
  static boolean isOwn(String logger) {
    return logger.startsWith("io.weir.");
  }

  /** Whether the logger is of a library that reads data of peers. */
  private static boolean readsPeers(String logger) {
    return logger.startsWith("io.vertx.") || logger.startsWith("io.netty.");
  }

  /** Whether the log messages themselves, too, contain data of peers. */
  private static boolean speaksOfPeers(String logger) {
    return logger.startsWith("io.vertx.core.net.") || logger.startsWith("io.vertx.core.http.");
  }

  /** The text to write. */
  static LogText of(String logger, @Nullable String message, @Nullable Throwable error) {
    boolean hidesMessages = readsPeers(logger);
    int most = isOwn(logger) ? MAX_OWN : MAX_OF_LIBRARIES;
    String shown = speaksOfPeers(logger) || message == null ? NO_TEXT : bounded(message, most);
    StringBuilder text = new StringBuilder();
    Throwable cause = error;
    for (int i = 0; i < CAUSES && cause != null; i++) {
      append(text, cause, hidesMessages, i == 0 ? "" : "caused by ");
      cause = cause.getCause();
    }
    return new LogText(shown, text.toString());
  }

  /** All of it. */
  String whole() {
    return message + error;
  }

  private static void append(
      StringBuilder text, Throwable error, boolean hidesMessage, String before) {
    text.append("\n  ").append(before).append(error.getClass().getName());
    String message = error.getMessage();
    if (!hidesMessage && message != null) {
      text.append(": ").append(bounded(message, MAX_OF_LIBRARIES));
    }
    StackTraceElement[] frames = error.getStackTrace();
    for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
      text.append("\n    at ").append(frames[i]);
    }
    if (frames.length > FRAMES) {
      text.append("\n    and %d more".formatted(frames.length - FRAMES));
    }
  }

  // Characters that control a terminal become spaces, so that data cannot imitate a line of the
  // log.
  private static String bounded(String text, int most) {
    StringBuilder bounded = new StringBuilder(Math.min(text.length(), most) + 1);
    for (int i = 0; i < Math.min(text.length(), most); i++) {
      char one = text.charAt(i);
      bounded.append(Names.isShown(one) || Character.isSurrogate(one) ? one : ' ');
    }
    return text.length() > most ? bounded.append('…').toString() : bounded.toString();
  }
}
