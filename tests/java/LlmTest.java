package tests.java;

import static tests.java.Testing.check;
import static tests.java.Testing.equal;
import static tests.java.Testing.fails;
import static tests.java.Testing.thrown;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.executorch.bazel.Llm;
import org.executorch.bazel.LlmFinish;
import org.executorch.bazel.LlmGeneration;
import org.executorch.bazel.LlmMessage;
import org.executorch.bazel.LlmRole;
import org.executorch.bazel.Status;
import tests.models.OtherAssistant;
import tests.models.SmallAssistant;

/** Tests language models, with a small model with random weights. Its tokens are bytes. */
final class LlmTest {
  private LlmTest() {}

  private static LlmGeneration shortAnswer() {
    return new LlmGeneration().maxTokens(20);
  }

  /** Options of an answer that does not end. */
  private static LlmGeneration endless() {
    float never = Float.NEGATIVE_INFINITY;
    return new LlmGeneration().slide(0).bias(256, never).bias(257, never).bias(258, never);
  }

  private static List<LlmMessage> hello() {
    return List.of(new LlmMessage(LlmRole.USER, "Hello!"));
  }

  static void testTurnsAndMessagesGiveEqualAnswers() {
    try (Llm llm = SmallAssistant.load()) {
      String first = llm.chat("Hello!", shortAnswer());
      long[] tokens = llm.getTokens();
      check(!first.isEmpty(), "no answer");
      equal(tokens.length, llm.getStats().getPromptTokens() + 20);
      equal(llm.getStats().getGeneratedTokens(), 20);
      equal(llm.getStats().getFinish(), LlmFinish.LENGTH);
      equal(llm.generate(hello(), shortAnswer()), first);
      equal(llm.getStats().getReusedTokens(), llm.getStats().getPromptTokens() - 1);
      check(Arrays.equals(llm.getTokens(), tokens), Arrays.toString(tokens));
    }
  }

  static void testThreadsGiveEqualAnswers() {
    try (Llm one = SmallAssistant.load();
        Llm two = OtherAssistant.load(2)) {
      equal(two.chat("Hello!", shortAnswer()), one.chat("Hello!", shortAnswer()));
      equal(two.getContext(), 256);
    }
  }

  static void testTextIsStreamed() {
    try (Llm llm = SmallAssistant.load()) {
      List<String> pieces = new ArrayList<>();
      llm.chat("Hello!", shortAnswer(), pieces::add);
      check(pieces.size() > 1, pieces);
      llm.rewind(0);
      equal(String.join("", pieces), llm.chat("Hello!", shortAnswer()));
    }
  }

  static void testSeedsSelectTheAnswer() {
    LlmGeneration options = shortAnswer().temperature(1).topK(50).topP(0.95f).minP(0.01f).seed(5);
    try (Llm llm = SmallAssistant.load()) {
      String first = llm.generate(hello(), options);
      equal(llm.generate(hello(), options), first);
      check(!llm.generate(hello(), options.seed(6)).equals(first), first);
    }
  }

  static void testOptionsLimitTheAnswer() {
    try (Llm llm = SmallAssistant.load()) {
      equal(llm.generate(hello(), new LlmGeneration().maxTokens(4).bias('A', 1e6f)), "AAAA");
      LlmGeneration penalized = new LlmGeneration().maxTokens(2).bias('A', 1e6f).bias('B', 9e5f).presence(5e5f);
      equal(llm.generate(hello(), penalized), "AB");
      equal(llm.generate(hello(), new LlmGeneration().bias('A', 1e6f).stop("AAA")), "");
      equal(llm.getStats().getFinish(), LlmFinish.STOP_STRING);
      equal(llm.generate(hello(), new LlmGeneration().bias('A', 1e6f).stopToken('A')), "");
      equal(llm.getStats().getFinish(), LlmFinish.STOP);
    }
  }

  static void testGrammarConstrainsTheAnswer() {
    try (Llm llm = SmallAssistant.load()) {
      String answer = llm.chat("Hello!", new LlmGeneration().grammar(SmallAssistant.ANSWERS));
      check(answer.equals("yes") || answer.equals("no"), answer);
      equal(llm.getStats().getFinish(), LlmFinish.GRAMMAR);
    }
    try (Llm other = OtherAssistant.load()) {
      LlmGeneration options = new LlmGeneration().grammar(SmallAssistant.ANSWERS);
      equal(
          thrown(() -> other.chat("Hello!", options)).getMessage(),
          "the grammar is not one of this model; add it to 'grammars' of its target");
    }
  }

  static void testAdaptersChangeTheAnswer() {
    try (Llm llm = SmallAssistant.load()) {
      equal(llm.getAdapters(), List.of("legal", "support"));
      String plain = llm.generate(hello(), shortAnswer());
      llm.setAdapter("support");
      check(!llm.generate(hello(), shortAnswer()).equals(plain), plain);
      llm.setAdapter(null);
      equal(llm.generate(hello(), shortAnswer()), plain);
      fails(
          Status.INVALID_ARGUMENT,
          "unknown adapter 'médical'; the model has: legal, support",
          () -> llm.setAdapter("médical"));
    }
  }

  static void testAnswerIsCanceledByTheCallback() {
    try (Llm llm = SmallAssistant.load()) {
      llm.chat("Hello!", endless(), text -> llm.cancel());
      equal(llm.getStats().getFinish(), LlmFinish.CANCELED);
    }
  }

  static void testAnswerIsCanceledByAnotherThread() throws InterruptedException {
    CountDownLatch hasBegun = new CountDownLatch(1);
    try (Llm llm = SmallAssistant.load()) {
      Thread answer = new Thread(() -> llm.chat("Hello!", endless(), text -> hasBegun.countDown()));
      answer.start();
      hasBegun.await();
      llm.cancel();
      answer.join();
      equal(llm.getStats().getFinish(), LlmFinish.CANCELED);
    }
  }

  static void testCallbackMayThrowOrClose() {
    Llm llm = SmallAssistant.load();
    LlmGeneration options = endless();
    Exception thrown =
        thrown(
            () ->
                llm.chat(
                    "Hello!",
                    options,
                    text -> {
                      throw new IllegalStateException(text);
                    }));
    check(thrown.getMessage().length() == 1, thrown);
    llm.rewind(0);
    check(!llm.chat("Hello!", shortAnswer()).isEmpty(), "no answer");
    Exception closed = thrown(() -> llm.chat("Hello!", options, text -> llm.close()));
    equal(closed.getMessage(), "the model is closed; load another object");
    llm.cancel();
    llm.close();
    equal(thrown(llm::getTokens).getMessage(), "the model is closed; load another object");
  }

  static void testErrorsNameTheArgument() {
    try (Llm llm = SmallAssistant.load()) {
      fails(
          Status.INVALID_ARGUMENT,
          "et_llm_generation.sampling.top_p is out of range; see executorch/text/sampler.h",
          () -> llm.chat("Hello!", new LlmGeneration().topP(2)));
      Exception full = thrown(() -> llm.chat("x".repeat(300)));
      check(full.getMessage().contains("the context has 256 tokens, and the conversation 0"), full);
      check(llm.getTokens().length == 0, "the conversation has changed");
      fails(
          Status.INVALID_ARGUMENT,
          "cannot rewind to 1 tokens: the conversation has 0; pass at most that number",
          () -> llm.rewind(1));
      equal(thrown(() -> llm.rewind(-1)).getMessage(), "count: -1; pass 0 or more");
    }
    equal(thrown(() -> SmallAssistant.load(0)).getMessage(), "threads: 0; pass 1 to 64");
    equal(
        thrown(() -> new LlmGeneration().stop("a\0b")).getMessage(),
        "stop: pass a string without NUL that is not empty");
    equal(thrown(() -> new LlmGeneration().maxTokens(-1)).getMessage(), "maxTokens: -1; pass 0 or more");
  }

  static void testTextIsUnicode() {
    try (Llm llm = SmallAssistant.load()) {
      llm.generate(List.of(new LlmMessage(LlmRole.USER, "é\0😀")), shortAnswer());
      List<Long> expected = new ArrayList<>();
      for (int value : new int[] {0xc3, 0xa9, 0, 0xf0, 0x9f, 0x98, 0x80}) {
        expected.add((long) value);
      }
      List<Long> tokens = new ArrayList<>();
      for (long token : llm.getTokens()) {
        tokens.add(token);
      }
      check(Collections.indexOfSubList(tokens, expected) >= 0, tokens);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(LlmTest.class);
  }
}
