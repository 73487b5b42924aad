package io.weir.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All samples of one contender under one load.
 *
 * @param inFlight the number of questions in flight
 * @param subjects the number of subjects
 * @param isDenied whether everything is denied
 */
public record Measurement(
    String contender, int inFlight, int subjects, boolean isDenied, List<Sample> samples) {
  public Measurement {
    samples = List.copyOf(samples);
  }

  /** The median of the samples; with an even number, the mean of the two in the middle. */
  public double median(ToDoubleFunction<Sample> figure) {
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
