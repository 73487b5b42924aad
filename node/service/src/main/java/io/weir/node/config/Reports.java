package io.weir.node.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The data that a node sends on its own initiative.
 *
 * @param denialLog where denials are written, as JSON
 * @param webhooks the file of the receivers of warnings
 * @param traces where traces are sent
 */
public record Reports(Optional<Path> denialLog, Optional<Path> webhooks, Optional<Traces> traces) {
  /** Nothing. */
  public static final Reports NONE =
      new Reports(Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * The receiver of traces.
   *
   * @param endpoint of OTLP over HTTP, with its path
   * @param share of the requests that are recorded, 0 to 1
   */
  public record Traces(URI endpoint, double share) {}
}
