package io.weir.node.upstream;

/** Gives requests their turns at the servers of destinations. Owned by one event loop. */
public interface SendSlots {
  /** Begins the way of a request. */
  Course begin(OutgoingRequest request);
}
