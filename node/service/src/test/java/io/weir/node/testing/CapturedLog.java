package io.weir.node.testing;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Takes what this JVM logs, until it is closed. For classes of which no other runs beside in the JVM, as {@code *IT}.
 */
public final class CapturedLog implements AutoCloseable {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream before = System.err;

  public CapturedLog() {
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
  }

  public String text() {
    return written.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    System.setErr(before);
  }
}
