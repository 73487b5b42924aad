package io.weir.node.log;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * A logger that writes a bounded number of lines of one kind a minute, each of bounded length; the next line of that
 * kind tells how many were left out. A kind is one of our message patterns, or the logger and level of a library.
 */
final class BoundedLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  private final transient Logger to;
  private final transient LogBudget budget;
  private final transient Supplier<Optional<JsonLines>> json;

  /** @param json writes the lines instead, if it is there */
  BoundedLogger(Logger to, LogBudget budget, Supplier<Optional<JsonLines>> json) {
    this.name = to.getName();
    this.to = to;
    this.budget = budget;
    this.json = json;
  }

  @Override
  public boolean isTraceEnabled() {
    return to.isTraceEnabled();
  }

  @Override
  public boolean isDebugEnabled() {
    return to.isDebugEnabled();
  }

  @Override
  public boolean isInfoEnabled() {
    return to.isInfoEnabled();
  }

  @Override
  public boolean isWarnEnabled() {
    return to.isWarnEnabled();
  }

  @Override
  public boolean isErrorEnabled() {
    return to.isErrorEnabled();
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      @Nullable String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable error) {
    String kind = LogText.isOwn(name) ? name + ' ' + pattern : name + ' ' + level;
    OptionalLong leftOut = budget.take(kind);
    if (leftOut.isEmpty()) {
      return;
    }
    String message = MessageFormatter.basicArrayFormat(pattern, arguments);
    LogText text = LogText.of(name, message, error);
    json.get()
        .ifPresentOrElse(
            lines -> lines.write(level, name, text, leftOut.getAsLong()),
            () -> to.atLevel(level).log(text.whole() + more(leftOut.getAsLong())));
  }

  private static String more(long leftOut) {
    return leftOut == 0 ? "" : " (and %d like it, which were left out)".formatted(leftOut);
  }
}
