package io.weir.state.keep;

/** How the leases of each kind are renewed, and how often their ends are told. They differ for the reasons given. */
public enum LeaseTerms {
  /** Each renewal is a call of its own, on one connection: a group is only bounded. Only the lease bounds the tries. */
  HOLD(5000, 500, Integer.MAX_VALUE),
  /** One call renews a group of an upstream; it blocks Redis for a short time only. A permit that is not given back only reduces the concurrency until its lease ends. */
  PERMIT(500, 300, 3),
  /** A renewal reads the record of each job, which makes a group more expensive. Only this node has the answer of the upstream: it is told for half a minute. */
  JOB(200, 500, 60),
  /** Never renewed by the node, as workers renew ranges themselves. Only the lease bounds the tries. */
  RANGE(300, Integer.MAX_VALUE),
  /** Never renewed, as a claim lasts as long as the item may take. A claim that is not released delays a repetition only. */
  ITEM(1000, 2);

  /** A lease is renewed after a third of it: two renewals may fail before it ends. */
  static final int RENEWALS_PER_LEASE = 3;

  private final int renewedAtOnce;
  private final long againMillis;
  private final int mostTries;

  LeaseTerms(long againMillis, int mostTries) {
    this(1, againMillis, mostTries);
  }

  LeaseTerms(int renewedAtOnce, long againMillis, int mostTries) {
    this.renewedAtOnce = renewedAtOnce;
    this.againMillis = againMillis;
    this.mostTries = mostTries;
  }

  /** The largest group of one renewal. */
  int renewedAtOnce() {
    return renewedAtOnce;
  }

  /** The pause before an end is told again. */
  long againMillis() {
    return againMillis;
  }

  /** How often an end is told at most. */
  int mostTries() {
    return mostTries;
  }
}
