package io.weir.operators.rehearsal;

import io.vertx.core.json.JsonObject;
import io.weir.operators.rehearsal.Outcomes.Counts;
import io.weir.operators.rehearsal.Outcomes.Name;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.SubjectName;
import io.weir.operators.top.Tally;
import io.weir.operators.top.Tops;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The findings of one rehearsal, on one event loop, one node or all. Immutable.
 *
 * @param denied who would be denied though it passes, and by which limits
 */
record Account(Outcomes outcomes, Tops denied) {
  static final Account NONE = new Account(new Outcomes(Map.of()), Tops.NONE);
  static final int MOST = 32;

  static Account sum(List<Account> all) {
    return new Account(
        Outcomes.sum(all.stream().map(Account::outcomes).toList()),
        Tops.sum(all.stream().map(Account::denied).toList(), MOST));
  }

  JsonObject toJson() {
    return new JsonObject().put("outcomes", outcomes.toJson()).put("denied", denied.toJson());
  }

  static Account parse(JsonObject json) {
    return new Account(
        Outcomes.parse(json.getJsonArray("outcomes")), Tops.parse(json.getJsonObject("denied")));
  }

  /** An account that is being written. Mutable; owned by one event loop. */
  static final class Writer {
    private final Map<Name, Counts> outcomes = new TreeMap<>();
    private final Tally denied = new Tally();

    void count(Name name, Counts counts) {
      Outcomes.add(outcomes, name, counts);
    }

    void denied(SubjectName who, LimitName by) {
      denied.count(who, by);
    }

    Account account() {
      return new Account(new Outcomes(outcomes), denied.tops(MOST));
    }
  }
}
