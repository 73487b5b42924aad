package io.weir.operators.status;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The kinds of findings, the most urgent first, each with its remedy. */
enum Code {
  REDIS_AWAY("Bring Redis back."),
  UNDECIDED("See why Redis fails: its log, its memory, its latency. Callers get 503."),
  DEGRADED("Redis was away or slow for a moment: see its log, and the network between."),
  NODES_SILENT("See whether they run, and what keeps them busy: their logs, their CPU."),
  POLICY_DIFFERS("See the logs of the nodes with the older one, and whether they reach Redis."),
  POLICY_FILE_REFUSED("Check it: weir policy check FILE. The last good policy stays in force."),
  REDIS_SLOW("See what keeps Redis busy: redis-cli SLOWLOG GET, its CPU, the network."),
  PROVIDER_LEFT_ALONE("See weir work, and whether the provider answers."),
  PROVIDER_REFUSES_KEY("Renew the key at the provider: see weir inspect --upstream %s."),
  PROVIDER_REFUSES_ALL("See whether its keys are valid, and what is asked of it: weir work."),
  WINDOW_FAILED("Its planner has to decide: see weir inspect --window %s."),
  DENIALS_UNUSUAL("See who is limited: weir top. A limit is too low, or a caller out of order."),
  HOLDS_LOST("A node or Redis stood still for longer than a lease lasts: see their logs."),
  RECORDS_REWOUND("Compare what you changed last with weir audit; see how Redis persists."),
  RECEIVER_FAILS("Send it one: weir warnings test %s."),
  RECEIVER_UNKNOWN("Add the receiver to the file of --webhooks on every node.");

  private final String doThis;

  /** @param doThis with {@code %s} for the thing's name */
  Code(String doThis) {
    this.doThis = doThis;
  }

  /** The code for programs. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The sentences for an operator. */
  String doThis(String of) {
    return doThis.formatted(of.split("/", 2)[0]);
  }

  /** The place of a code; the last one if it is that of a newer node. */
  static int rank(String word) {
    List<String> words = Arrays.stream(values()).map(Code::word).toList();
    int rank = words.indexOf(word);
    return rank < 0 ? words.size() : rank;
  }
}
