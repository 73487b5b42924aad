package io.weir.node.log;

import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.simple.SimpleServiceProvider;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** The loggers of a node, for its own classes and for all libraries: those of slf4j-simple, with bounds. */
public final class BoundedLoggers implements SLF4JServiceProvider {
  private static final String PROVIDER = "slf4j.provider";
  private static final String VERBOSITY = "slf4j.internal.verbosity";

  private static volatile Optional<JsonLines> json = Optional.empty();

  private final SimpleServiceProvider simple = new SimpleServiceProvider();
  private final LogBudget budget = new LogBudget(System::nanoTime);
  private final ConcurrentMap<String, Logger> loggers = new ConcurrentHashMap<>();

  /** Called by SLF4J. */
  public BoundedLoggers() {}

  /** Installs them as the loggers of this program; call before the first logger is requested. */
  public static void install() {
    System.setProperty(PROVIDER, BoundedLoggers.class.getName());
    System.setProperty(VERBOSITY, "WARN");
  }

  /** Sets the form of all lines from now on; text at first. */
  public static void use(LogFormat format) {
    json = format == LogFormat.JSON
        ? Optional.of(new JsonLines(Clock.systemUTC(), System.err))
        : Optional.empty();
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> loggers.computeIfAbsent(
        name,
        made -> new BoundedLogger(simple.getLoggerFactory().getLogger(made), budget, () -> json));
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return simple.getMarkerFactory();
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return simple.getMDCAdapter();
  }

  @Override
  public String getRequestedApiVersion() {
    return simple.getRequestedApiVersion();
  }

  @Override
  public void initialize() {
    simple.initialize();
  }
}
