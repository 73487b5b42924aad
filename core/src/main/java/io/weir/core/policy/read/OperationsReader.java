package io.weir.core.policy.read;

import io.weir.core.policy.CostRule;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationRule.Excess;
import io.weir.core.policy.OperationRule.Route;
import io.weir.core.policy.OperationRule.Stage;
import io.weir.core.policy.Parts;
import io.weir.core.policy.PathPattern;
import io.weir.core.policy.PolicySection.Parent;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads how requests are mapped to operations and costs. */
final class OperationsReader {
  private static final Pattern METHOD_FORM = Pattern.compile("[A-Z]{3,20}");

  private static final Map<String, Stage> STAGES =
      Words.of("door", Stage.DOOR, "execution", Stage.EXECUTION);
  private static final String EXPECTED_METHOD = "a method in upper case, such as POST";

  private static final Field<String> METHOD = Field.text(
      "method", METHOD_FORM, EXPECTED_METHOD, "the method; default: any; `GET` takes `HEAD`, too");
  private static final Field<List<Section.Item>> METHODS =
      Field.texts("methods", METHOD_FORM, EXPECTED_METHOD, "several methods");
  private static final Field<Boolean> HEAD = Field.flag(
          "head", "whether `GET` takes the requests with `HEAD` that no other rule names")
      .or(true);
  private static final Field<PathPattern> PATH = Field.parsed(
          "path",
          PathPattern::parse,
          "/.*",
          "a path such as /contracts/{id}/call, with /** at its end for all below",
          "the path; `{id}` stands for one segment, `/**` at the end for everything below")
      .required();
  private static final Field<Section> MATCH = Field.section(
      "match",
      Table.of("match", PATH, METHOD, METHODS, HEAD),
      "the requests; left out if only the check API uses the operation");

  private static final Field<String> NAME = Field.name("name", "the operation").required();
  private static final Field<Long> MAX_DELAY = Field.duration(
          "maxDelay",
          Duration.ZERO,
          Duration.ofMinutes(1),
          "the gateway holds a request whose slot is within it, and forwards the request at its slot")
      .or(0L);
  private static final Field<Boolean> UNLIMITED =
      Field.flag("unlimited", "whether no limit applies, and nothing is counted");
  private static final Field<Boolean> CONTINUES = Field.flag(
      "continues",
      "whether, as a later step of a [batch](http.md#post-v1batch), it is counted, but not rejected");
  private static final Field<Stage> STAGE =
      Field.choice("stage", STAGES, "gives denials the code `busy` or `exhausted`");
  private static final Table OPERATION = Table.of(
          "operation",
          NAME,
          MATCH,
          CostSection.COST,
          MAX_DELAY,
          UNLIMITED,
          CONTINUES,
          SettleReader.SETTLE,
          STAGE)
      .with(Extensions.all().fields(Parent.OPERATION));
  static final Field<List<Section>> OPERATIONS = Field.sections(
      "operations", OPERATION, "how requests become operations; the first match applies");

  private OperationsReader() {}

  static List<DefinedOperation> read(Section root) {
    Set<String> names = new HashSet<>();
    List<DefinedOperation> operations = new ArrayList<>();
    for (Section section : root.get(OPERATIONS)) {
      rule(section, names)
          .filter(rule -> reachable(section, rule, operations))
          .ifPresent(rule -> operations.add(new DefinedOperation(section, rule)));
    }
    return operations;
  }

  private static Optional<OperationRule> rule(Section section, Set<String> names) {
    Optional<String> name = section.find(NAME);
    Optional<Section> match = section.find(MATCH);
    Optional<Route> route = match.flatMap(OperationsReader::route);
    Optional<CostRule> cost = CostSection.read(section);
    Excess excess = new Excess(
        section.get(MAX_DELAY),
        section.get(UNLIMITED),
        section.get(CONTINUES),
        section.find(STAGE));
    Optional<SettleRule> settle = section.find(SettleReader.SETTLE).flatMap(SettleReader::read);
    Parts parts = Extensions.all().read(Parent.OPERATION, section);
    if (name.isPresent() && !names.add(name.get())) {
      section.error("name_repeated", "name", "'%s' is an operation already".formatted(name.get()));
      return Optional.empty();
    }
    boolean sound = name.isPresent() && cost.isPresent() && match.isPresent() == route.isPresent();
    return sound
        ? Optional.of(new OperationRule(name.get(), route, cost.get(), excess, settle, parts))
        : Optional.empty();
  }

  private static Optional<Route> route(Section match) {
    Set<String> methods = new HashSet<>(Section.Item.texts(match.get(METHODS)));
    match.find(METHOD).ifPresent(methods::add);
    boolean head = match.get(HEAD);
    if (match.has("head") && (!methods.contains(Route.GET) || methods.contains(Route.HEAD))) {
      match.error("head_ambiguous", "head", "not with these methods (expected: GET without HEAD)");
    }
    return match.find(PATH).map(path -> new Route(methods, path, head));
  }

  private static boolean reachable(
      Section section, OperationRule rule, List<DefinedOperation> before) {
    if (rule.route().isEmpty()) {
      return true;
    }
    for (DefinedOperation earlier : before) {
      if (earlier
          .rule()
          .route()
          .filter(route -> route.covers(rule.route().get()))
          .isPresent()) {
        section.error(
            "rule_unreachable",
            "match",
            "every request it matches is taken by %s before"
                .formatted(earlier.rule().name()));
        return false;
      }
    }
    return true;
  }

  /** A rule of the policy, with its place in the document. */
  record DefinedOperation(Section section, OperationRule rule) {}
}
