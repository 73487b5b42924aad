package io.weir.operators.replay;

import io.weir.node.command.ShownPrinter;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;

/** A stream that shows how much of it has been read, if that takes a while. Mutable, for one thread. */
final class Progress extends FilterInputStream {
  private static final int WIDTH = 40;
  private static final int PERCENT = 100;
  private static final long LEAST_BYTES = 10 << 20;

  private final long size;
  private final PrintWriter terminal;
  private final boolean isShown;
  private long read;
  private long shown = -1;

  /** @param size in bytes, 0 to show nothing */
  Progress(InputStream in, long size, PrintWriter terminal) {
    super(in);
    this.size = size;
    this.terminal = terminal;
    this.isShown = size >= LEAST_BYTES;
  }

  @Override
  public int read() throws IOException {
    int one = super.read();
    advance(one < 0 ? 0 : 1);
    return one;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    int count = super.read(to, offset, length);
    advance(Math.max(0, count));
    return count;
  }

  private void advance(int count) {
    read += count;
    long percent = size == 0 ? 0 : Math.min(PERCENT, PERCENT * read / size);
    if (isShown && percent != shown) {
      shown = percent;
      int filled = (int) (WIDTH * percent / PERCENT);
      rewrite();
      terminal.printf("[%s%s] %3d %%", "#".repeat(filled), ".".repeat(WIDTH - filled), percent);
      terminal.flush();
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    if (isShown) {
      rewrite();
      terminal.print(" ".repeat(WIDTH + 10));
      rewrite();
      terminal.flush();
    }
  }

  private void rewrite() {
    if (terminal instanceof ShownPrinter printer) {
      printer.rewrite();
    }
  }
}
