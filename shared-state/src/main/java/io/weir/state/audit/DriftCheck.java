package io.weir.state.audit;

import io.weir.core.policy.Policy;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.Scripts;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A kind of state with numbers that are kept beside the items that they stand for, and the command that compares both.
 * One call compares, and repairs, a whole thing at one instant: between two calls its items change. Immutable.
 *
 * @param kind a word for the kind
 * @param script compares the thing with its keys; the arguments are the most entries of a key, 1 to repair or 0, and
 *     those of {@code things}; the answer is that of {@code lua/lib/drift.lua}
 * @param keys of a thing
 * @param things the names of the things of a policy, each with further arguments
 */
public record DriftCheck(
    String kind,
    LuaScript script,
    Function<String, List<String>> keys,
    Function<Policy, Map<String, List<String>>> things) {
  private static final int WIDTH = 3;

  /** The check by a command with this name, of a library of its own. */
  public static DriftCheck of(
      String kind,
      String command,
      Function<String, List<String>> keys,
      Function<Policy, Map<String, List<String>>> things) {
    LuaScript script = LuaLibrary.of(command, List.of(command)).script(command);
    return new DriftCheck(kind, script, keys, things);
  }

  /** The same of things without further arguments. */
  public static DriftCheck ofNamed(
      String kind,
      String command,
      Function<String, List<String>> keys,
      Function<Policy, Set<String>> names) {
    return of(
        kind,
        command,
        keys,
        policy -> names.apply(policy).stream()
            .collect(Collectors.toMap(Function.identity(), name -> List.of())));
  }

  /**
   * The comparison of one thing.
   *
   * @param size the most entries of one of its keys
   * @param isCompared whether it was compared: larger things are not
   * @param drifts the first few hundred differences
   */
  public record Comparison(
      String kind, String name, long size, boolean isCompared, List<Drift> drifts) {
    public Comparison {
      drifts = List.copyOf(drifts);
    }
  }

  /**
   * Compares a thing, and repairs its numbers if that is asked for. Failures are {@link
   * io.weir.core.throttle.StoreUnavailableException}.
   *
   * @param further arguments of the thing
   * @param most entries of a key: Redis serves nobody else meanwhile
   */
  public CompletableFuture<Comparison> compare(
      RedisConnections redis, String name, List<String> further, int most, boolean isRepair) {
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(most), isRepair ? "1" : "0"));
    arguments.addAll(further);
    return Scripts.run(redis, script, keys.apply(name), arguments)
        .thenApply(answer -> comparison(name, most, answer));
  }

  private Comparison comparison(String name, int most, List<Object> answer) {
    List<Drift> drifts = new ArrayList<>();
    for (int i = 1; i < answer.size(); i += WIDTH) {
      drifts.add(
          new Drift((String) answer.get(i), (Long) answer.get(i + 1), (Long) answer.get(i + 2)));
    }
    long size = (Long) answer.get(0);
    return new Comparison(kind, name, size, size <= most, drifts);
  }
}
