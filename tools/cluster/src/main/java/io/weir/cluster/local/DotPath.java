package io.weir.cluster.local;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/**
 * The places of a dot over time: its seat, the gate at each request, and its last seat. Mutable; owned by the code
 * that made it.
 */
final class DotPath {
  private static final double WAY_SECONDS = 0.35;

  private final List<String> places = new ArrayList<>();
  private final List<String> parts = new ArrayList<>();
  private final int seat;
  private final double seconds;
  private double atGate = -1;

  /** @param seconds the length of the animation */
  DotPath(int seat, double seconds) {
    this.seat = seat;
    this.seconds = seconds;
    add(seat, 0);
  }

  /** Goes to the gate, so that it is there at an instant; later than the one before. */
  void request(int gate, double second) {
    double way = WAY_SECONDS;
    if (atGate >= 0) {
      way = Math.min(way, (second - atGate) / 2);
      add(seat, atGate + way);
    }
    add(seat, second - way);
    add(gate, second);
    atGate = second;
  }

  /** Goes on to its last seat, on either side of the gate. */
  void end(int last) {
    add(last, atGate + 2 * WAY_SECONDS);
    add(last, seconds);
  }

  String values() {
    return String.join(";", places);
  }

  /** The times of the places, as parts of the animation. */
  String times() {
    return String.join(";", parts);
  }

  /** A part of the animation, in as few characters as an attribute allows. */
  static String part(double part) {
    return BigDecimal.valueOf(part)
        .setScale(4, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString()
        .replaceFirst("^0\\.", ".");
  }

  private void add(int place, double second) {
    places.add(Integer.toString(place));
    parts.add(part(second / seconds));
  }
}
