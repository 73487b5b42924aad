package asks;

import io.weir.core.decision.Decision.Allowed;
import io.weir.library.Weir;
import java.nio.file.Path;

/** Asks for an operation of a subject a number of times, and prints how many were allowed. */
public final class Asks {
  private Asks() {}

  public static void main(String[] arguments) {
    int asks = Integer.parseInt(arguments[2]);
    try (Weir weir = Weir.builder(arguments[0]).policy(Path.of(arguments[1])).open()) {
      int allowed = 0;
      for (int i = 0; i < asks; i++) {
        allowed += weir.blocking().tryAcquire("plain", "Orders") instanceof Allowed ? 1 : 0;
      }
      System.out.println("allowed " + allowed + " of " + asks);
    }
  }
}
