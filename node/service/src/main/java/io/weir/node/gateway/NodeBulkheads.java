package io.weir.node.gateway;

import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.UnpaidWork;

/**
 * The bulkheads of a node, shared by all of its requests.
 *
 * @param memory bytes of bodies that are being read
 * @param held requests that may be held until their slot
 * @param unpaid bytes of bodies that are read and that no limit pays for
 * @param streams streams of reports on divided limits, of which those of a network are half
 * @param buckets bytes of the buckets of these streams, likewise
 */
public record NodeBulkheads(
    Bulkhead memory, Bulkhead held, UnpaidWork unpaid, Bulkhead streams, Bulkhead buckets) {
  private static final long MIN_MEMORY = 32 << 20;
  private static final long MIN_MEMORY_OF_KEY = 16 << 20;
  private static final long MOST_STREAMS = 1000;
  private static final long STREAMS_OF_NAME = 100;
  private static final long MIN_BUCKETS = 8 << 20;
  private static final long BUCKETS_OF_STREAM = 4 << 20;

  /** Bulkheads for a process with a heap of this many bytes: bodies may take an eighth, as each is copied,
   * and buckets of streams a 32nd. */
  public static NodeBulkheads ofHeap(long bytes) {
    long ofNode = Math.max(MIN_MEMORY, bytes / 8);
    Bulkhead memory = new Bulkhead(Math.max(MIN_MEMORY_OF_KEY, ofNode / 4), ofNode / 2, ofNode);
    long ofBuckets = Math.max(MIN_BUCKETS, bytes / 32);
    return new NodeBulkheads(
        memory,
        new Bulkhead(250, 500, 1000),
        new UnpaidWork(System::nanoTime),
        new Bulkhead(STREAMS_OF_NAME, MOST_STREAMS / 2, MOST_STREAMS),
        new Bulkhead(BUCKETS_OF_STREAM, ofBuckets / 2, ofBuckets));
  }
}
