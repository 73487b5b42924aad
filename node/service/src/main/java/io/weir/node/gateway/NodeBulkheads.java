package io.weir.node.gateway;

import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.UnpaidWork;

/**
 * The bulkheads of a node, shared by all of its requests.
 *
 * @param memory bytes of bodies that are being read
 * @param held requests that may be held until their slot
 * @param unpaid bytes of bodies that are read and that no limit pays for
 */
public record NodeBulkheads(Bulkhead memory, Bulkhead held, UnpaidWork unpaid) {
  private static final long MIN_MEMORY = 32 << 20;
  private static final long MIN_MEMORY_OF_KEY = 16 << 20;

  /** Bulkheads for a process with a heap of this many bytes: bodies may take an eighth, as each is copied. */
  public static NodeBulkheads ofHeap(long bytes) {
    long ofNode = Math.max(MIN_MEMORY, bytes / 8);
    Bulkhead memory = new Bulkhead(Math.max(MIN_MEMORY_OF_KEY, ofNode / 4), ofNode / 2, ofNode);
    return new NodeBulkheads(
        memory, new Bulkhead(250, 500, 1000), new UnpaidWork(System::nanoTime));
  }
}
