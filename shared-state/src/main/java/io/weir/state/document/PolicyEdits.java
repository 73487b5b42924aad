package io.weir.state.document;

import io.weir.core.policy.read.KnownFields;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Sets values of a document; everything else of its text, comments too, stays as it is. */
public final class PolicyEdits {
  private static final int MAX_DEPTH = 32;
  private static final int MOST_NAMED = 20;

  private PolicyEdits() {}

  /** A value cannot be set, with the place and what is there. */
  public static final class PathException extends Exception {
    private static final long serialVersionUID = 1L;

    PathException(String message) {
      super(message);
    }
  }

  /**
   * The text of a document with another value. A field that the text leaves to its default is added; plans and others
   * with names of the operator, and items of lists, have to be there.
   *
   * @param text of a sound policy
   * @param path the names of the fields that lead to the value, with a slash before each; an item of a list is named by
   *     its {@code name}, its {@code id}, or its number from 0 on: {@code /buckets/requests/burstPeriod}
   * @param json the value as JSON; a list or a mapping replaces all of the one that is there
   */
  public static String set(String text, String path, String json) throws PathException {
    if (!path.startsWith("/")) {
      throw new PathException("path: '%s' (expected: /field/field)".formatted(path));
    }
    Location place = new Location(root(text), KnownFields.ofPolicy(), "");
    List<String> steps = List.of(path.substring(1).split("/", -1));
    for (int i = 0; i < steps.size(); i++) {
      Optional<Location> next = place.child(steps.get(i));
      if (next.isEmpty()) {
        List<String> missing = steps.subList(i, steps.size());
        place.requireKnown(missing);
        return DocumentText.added(text, place.node(), missing, json);
      }
      place = next.get();
    }
    place.requireOneLine();
    return DocumentText.replaced(text, place.node(), json);
  }

  private static Node root(String text) throws PathException {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(PolicyDocuments.MAX_BYTES);
    options.setNestingDepthLimit(MAX_DEPTH);
    try {
      return new Yaml(options).compose(new StringReader(text));
    } catch (YAMLException e) {
      throw new PathException(
          "the policy in force is no YAML, so that a value of it cannot be found: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }

  /**
   * A value of the document.
   *
   * @param path the steps that lead to it
   */
  private record Location(Node node, KnownFields known, String path) {
    /** A value in it; empty if it has no such field and may have one. */
    Optional<Location> child(String step) throws PathException {
      if (node instanceof SequenceNode sequence) {
        return Optional.of(at(step, item(sequence, step)));
      }
      if (node instanceof MappingNode mapping) {
        return mapping.getValue().stream()
            .filter(field -> isScalar(field.getKeyNode(), step))
            .findFirst()
            .map(field -> at(step, field.getValueNode()));
      }
      if (DocumentText.isEmpty(node)) {
        return Optional.empty();
      }
      throw new PathException("%s: a single value (expected: nothing after it)".formatted(path));
    }

    private Location at(String step, Node child) {
      return new Location(child, known.at(step), path + "/" + step);
    }

    private Node item(SequenceNode sequence, String step) throws PathException {
      List<Node> items = sequence.getValue();
      Optional<Node> named =
          items.stream().filter(item -> names(item).contains(step)).findFirst();
      if (named.isPresent()) {
        return named.get();
      }
      for (int i = 0; i < items.size(); i++) {
        if (Integer.toString(i).equals(step)) {
          return items.get(i);
        }
      }
      throw absent(
          path + "/" + step,
          IntStream.range(0, items.size())
              .mapToObj(i -> names(items.get(i)).stream().findFirst().orElse(Integer.toString(i)))
              .toList());
    }

    // Names of the operator are not made: a mistake in one would make another plan.
    void requireKnown(List<String> missing) throws PathException {
      KnownFields fields = known;
      List<String> there = present();
      String walked = path;
      for (String step : missing) {
        walked += "/" + step;
        if (!fields.names().contains(step)) {
          Set<String> expected = new LinkedHashSet<>(there);
          expected.addAll(fields.names());
          throw absent(walked, new ArrayList<>(expected));
        }
        fields = fields.at(step);
        there = List.of();
      }
    }

    private List<String> present() {
      return node instanceof MappingNode mapping
          ? mapping.getValue().stream()
              .map(NodeTuple::getKeyNode)
              .filter(ScalarNode.class::isInstance)
              .map(key -> ((ScalarNode) key).getValue())
              .toList()
          : List.of();
    }

    void requireOneLine() throws PathException {
      if (node instanceof ScalarNode scalar
          && (scalar.getScalarStyle() == ScalarStyle.LITERAL
              || scalar.getScalarStyle() == ScalarStyle.FOLDED)) {
        throw new PathException(
            "%s: a text of several lines (expected: a value in one line)".formatted(path));
      }
    }
  }

  private static PathException absent(String path, List<String> known) {
    return new PathException("%s: there is no such value (expected: %s)"
        .formatted(path, known.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))));
  }

  private static List<String> names(Node item) {
    return item instanceof MappingNode mapping
        ? mapping.getValue().stream()
            .filter(
                field -> isScalar(field.getKeyNode(), "name") || isScalar(field.getKeyNode(), "id"))
            .map(NodeTuple::getValueNode)
            .filter(ScalarNode.class::isInstance)
            .map(value -> ((ScalarNode) value).getValue())
            .toList()
        : List.of();
  }

  private static boolean isScalar(Node node, String value) {
    return node instanceof ScalarNode scalar && scalar.getValue().equals(value);
  }
}
