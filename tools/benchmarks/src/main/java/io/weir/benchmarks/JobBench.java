package io.weir.benchmarks;

import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.store.RedisJobs;
import io.weir.state.connection.RedisConnections;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Measures the cost of submitting a job and of polling for one, with few jobs in the queue and with very many. */
final class JobBench {
  private static final String OPERATION = "bench";
  private static final int TOGETHER = 500;
  private static final int ASKED = 2000;
  private static final int ROUNDS = 7;
  private static final long MAX_BYTES = 1L << 34;
  private static final String REQUEST =
      "{\"method\":\"POST\",\"target\":\"/proof\",\"body\":\"%s\"}".formatted("x".repeat(200));

  private final String uri;
  private final RedisProbe probe;
  private final PrintWriter out;
  private final JobRule rule = new JobRule(
      Map.of(
          JobParameter.CAPACITY, 1_000_000L,
          JobParameter.CAPACITY_OF_KEY, 1_000_000L,
          JobParameter.CAPACITY_OF_TENANT, 1_000_000L,
          JobParameter.MAX_RESULT_BYTES, 0L,
          JobParameter.BYTES_OF_KEY, MAX_BYTES,
          JobParameter.BYTES_OF_TENANT, MAX_BYTES,
          JobParameter.BYTES_IN_ALL, MAX_BYTES),
      new JobRule.Waits(false, false, JobRule.RECEIPT_WAITS),
      new JobRule.Protocol(Optional.empty(), false, Set.of(), Set.of()));
  private int number;

  JobBench(String uri, RedisProbe probe, PrintWriter out) {
    this.uri = uri;
    this.probe = probe;
    this.out = out;
  }

  /** Measures with each of these numbers of jobs in the queue. */
  List<Map<String, Object>> measure(int... sizes) {
    List<Map<String, Object>> results = new ArrayList<>();
    out.printf(
        "%10s %18s %18s %18s %14s%n",
        "jobs", "submit, p50 µs", "ask, p50 µs", "ask, Redis µs", "bytes a job");
    probe.clear();
    try (RedisConnections connections = RedisConnections.open(uri, Duration.ofSeconds(30))) {
      RedisJobs jobs = new RedisJobs(connections);
      // The first jobs load scripts and classes.
      fill(jobs, ASKED);
      ask(jobs);
      probe.clear();
      number = 0;
      long empty = probe.usedMemory();
      for (int size : sizes) {
        fill(jobs, size - number);
        results.add(measured(jobs, size, (probe.usedMemory() - empty) / (double) size));
      }
    }
    probe.clear();
    return results;
  }

  private Map<String, Object> measured(RedisJobs jobs, int size, double bytes) {
    double[] submits = new double[ROUNDS];
    double[] asks = new double[ROUNDS];
    double[] cpu = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      double before = probe.cpuSeconds();
      asks[round] = ask(jobs);
      cpu[round] = (probe.cpuSeconds() - before) * 1e6 / ASKED;
      submits[round] = submitSome(jobs);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("jobs", size);
    result.put("submitMicros", median(submits));
    result.put("askMicros", median(asks));
    result.put("askRedisMicros", median(cpu));
    result.put("bytesPerJob", bytes);
    out.printf(
        "%,10d %18.1f %18.1f %18.1f %14.0f%n",
        size, median(submits), median(asks), median(cpu), bytes);
    return result;
  }

  private static double median(double... values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private JobSubmission next() {
    int mine = number++;
    return new JobSubmission(
        new JobName(OPERATION, id(mine), "acme", "k" + mine % 100, "f".repeat(32)), REQUEST);
  }

  private static String id(int number) {
    return "%032x".formatted(number * 2_654_435_761L);
  }

  private void fill(RedisJobs jobs, int count) {
    for (int done = 0; done < count; done += TOGETHER) {
      CompletableFuture<?>[] some = new CompletableFuture<?>[Math.min(TOGETHER, count - done)];
      for (int i = 0; i < some.length; i++) {
        some[i] = jobs.submit(rule, next()).toCompletableFuture();
      }
      CompletableFuture.allOf(some).join();
    }
  }

  // One after another: the latency of a caller.
  private double submitSome(RedisJobs jobs) {
    double[] micros = new double[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) {
      JobSubmission submission = next();
      long began = System.nanoTime();
      SubmittedJob submitted =
          jobs.submit(rule, submission).toCompletableFuture().join();
      micros[i] = (System.nanoTime() - began) / 1e3;
      if (!(submitted instanceof SubmittedJob.Taken)) {
        throw new IllegalStateException("not taken: " + submitted);
      }
    }
    return median(micros);
  }

  private double ask(RedisJobs jobs) {
    double[] micros = new double[ASKED];
    for (int i = 0; i < ASKED; i++) {
      long began = System.nanoTime();
      boolean isThere = jobs.look(OPERATION, id((int) ((long) i * 7919 % number)), "")
          .toCompletableFuture()
          .join()
          .isPresent();
      micros[i] = (System.nanoTime() - began) / 1e3;
      if (!isThere) {
        throw new IllegalStateException("no job");
      }
    }
    return median(micros);
  }
}
