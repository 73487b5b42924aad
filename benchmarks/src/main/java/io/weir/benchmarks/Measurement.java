package io.weir.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All samples of one contender under one load.
 *
 * @param inFlight how many questions were in flight
 * @param subjects how many subjects were asked for
 * @param isDenied whether everything is denied
 */
public record Measurement(
    String contender, int inFlight, int subjects, boolean isDenied, List<Sample> samples) {
  public Measurement {
    samples = List.copyOf(samples);
  }

  /** The middle of the samples; the mean of the two in the middle where they are even. */
  double median(ToDoubleFunction<Sample> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : Arrays.stream(sorted, middle - 1, middle + 1).average().orElseThrow();
  }

  long unlike() {
    return samples.stream().mapToLong(Sample::unlike).sum();
  }
}
