package io.weir.batch;

import java.util.ArrayList;
import java.util.List;

/** The mistakes of a batch, up to a bound. Mutable; for one request. */
final class Mistakes {
  private static final int MOST = 100;
  private static final int MAX_SHOWN = 40;

  private final List<String> all = new ArrayList<>(0);

  /** A batch with mistakes. */
  static final class BadBatchException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> mistakes;

    private BadBatchException(List<String> mistakes) {
      super(null, null, false, false);
      this.mistakes = List.copyOf(mistakes);
    }

    List<String> mistakes() {
      return mistakes;
    }
  }

  /** Adds a mistake; throws at the bound, so that nothing more is read. */
  void add(String where, String what) throws BadBatchException {
    all.add(where + ": " + what);
    if (all.size() >= MOST) {
      throw new BadBatchException(all);
    }
  }

  void throwIfAny() throws BadBatchException {
    if (!all.isEmpty()) {
      throw new BadBatchException(all);
    }
  }

  static BadBatchException only(String mistake) {
    return new BadBatchException(List.of(mistake));
  }

  static String shown(String name) {
    return name.length() <= MAX_SHOWN ? name : name.substring(0, MAX_SHOWN) + "…";
  }
}
