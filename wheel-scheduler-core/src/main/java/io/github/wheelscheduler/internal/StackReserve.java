package io.github.wheelscheduler.internal;

/**
 * Makes sure of some stack at the door of a call that moves something, and then must not fail half way: what follows
 * from a move is done by the thread that made it. A caller that has less stack fails before anything has moved.
 *
 * <p>A virtual machine checks, as it enters a method, that there is stack for all the locals that the interpreter would
 * have there, also where the method has been compiled and has none left. So one call asks for as much in each way of
 * running it, and costs hardly anything. The locals count in compiled code only if there is something in the method
 * that may leave that code. It has too many instructions to become a part of its caller, which would need as much
 * wherever it is called from then, also when it does not ask.
 *
 * <p>Each amount has a method of its own. Two nested calls would ask for twice as much only in the interpreter.
 * Compiled, the outer frame is small, so the inner call asks for the same stack again.
 */
// spotless:off
@SuppressWarnings({"unused", "UnusedVariable", "InfiniteRecursion"})
public final class StackReserve {

    /** Its element is never true; a virtual machine does not know that. */
    private static final boolean[] ASKS_AGAIN = {false};

    private StackReserve() {}

    /**
     * Needs 8 kB of stack, and does nothing: twice as much as any call takes that moves a timer, before it comes to the
     * user's code.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public static void ask() {
        long a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0, aA = 0, aB = 0,
                aC = 0, aD = 0, aE = 0, aF = 0, aG = 0, aH = 0, aI = 0, aJ = 0, aK = 0, aL = 0, aM = 0, aN = 0,
                aO = 0, aP = 0, aQ = 0, aR = 0, aS = 0, aT = 0, aU = 0, aV = 0, aW = 0, aX = 0, aY = 0, aZ = 0,
                b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0, b8 = 0, b9 = 0, bA = 0, bB = 0,
                bC = 0, bD = 0, bE = 0, bF = 0, bG = 0, bH = 0, bI = 0, bJ = 0, bK = 0, bL = 0, bM = 0, bN = 0,
                bO = 0, bP = 0, bQ = 0, bR = 0, bS = 0, bT = 0, bU = 0, bV = 0, bW = 0, bX = 0, bY = 0, bZ = 0,
                c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0, c9 = 0, cA = 0, cB = 0,
                cC = 0, cD = 0, cE = 0, cF = 0, cG = 0, cH = 0, cI = 0, cJ = 0, cK = 0, cL = 0, cM = 0, cN = 0,
                cO = 0, cP = 0, cQ = 0, cR = 0, cS = 0, cT = 0, cU = 0, cV = 0, cW = 0, cX = 0, cY = 0, cZ = 0,
                d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0, d8 = 0, d9 = 0, dA = 0, dB = 0,
                dC = 0, dD = 0, dE = 0, dF = 0, dG = 0, dH = 0, dI = 0, dJ = 0, dK = 0, dL = 0, dM = 0, dN = 0,
                dO = 0, dP = 0, dQ = 0, dR = 0, dS = 0, dT = 0, dU = 0, dV = 0, dW = 0, dX = 0, dY = 0, dZ = 0,
                e0 = 0, e1 = 0, e2 = 0, e3 = 0, e4 = 0, e5 = 0, e6 = 0, e7 = 0, e8 = 0, e9 = 0, eA = 0, eB = 0,
                eC = 0, eD = 0, eE = 0, eF = 0, eG = 0, eH = 0, eI = 0, eJ = 0, eK = 0, eL = 0, eM = 0, eN = 0,
                eO = 0, eP = 0, eQ, eR, eS, eT, eU, eV, eW, eX, eY, eZ, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9,
                fA, fB, fC, fD, fE, fF, fG, fH, fI, fJ, fK, fL, fM, fN, fO, fP, fQ, fR, fS, fT, fU, fV, fW, fX,
                fY, fZ, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, gA, gB, gC, gD, gE, gF, gG, gH, gI, gJ, gK, gL,
                gM, gN, gO, gP, gQ, gR, gS, gT, gU, gV, gW, gX, gY, gZ, h0, h1, h2, h3, h4, h5, h6, h7, h8, h9,
                hA, hB, hC, hD, hE, hF, hG, hH, hI, hJ, hK, hL, hM, hN, hO, hP, hQ, hR, hS, hT, hU, hV, hW, hX,
                hY, hZ, i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, iA, iB, iC, iD, iE, iF, iG, iH, iI, iJ, iK, iL,
                iM, iN, iO, iP, iQ, iR, iS, iT, iU, iV, iW, iX, iY, iZ, j0, j1, j2, j3, j4, j5, j6, j7, j8, j9,
                jA, jB, jC, jD, jE, jF, jG, jH, jI, jJ, jK, jL, jM, jN, jO, jP, jQ, jR, jS, jT, jU, jV, jW, jX,
                jY, jZ, k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, kA, kB, kC, kD, kE, kF, kG, kH, kI, kJ, kK, kL,
                kM, kN, kO, kP, kQ, kR, kS, kT, kU, kV, kW, kX, kY, kZ, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9,
                lA, lB, lC, lD, lE, lF, lG, lH, lI, lJ, lK, lL, lM, lN, lO, lP, lQ, lR, lS, lT, lU, lV, lW, lX,
                lY, lZ, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, mA, mB, mC, mD, mE, mF, mG, mH, mI, mJ, mK, mL,
                mM, mN, mO, mP, mQ, mR, mS, mT, mU, mV, mW, mX, mY, mZ, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9,
                nA, nB, nC, nD, nE, nF, nG, nH, nI, nJ, nK, nL, nM, nN, nO, nP, nQ, nR, nS, nT, nU, nV, nW, nX,
                nY, nZ, o0, o1, o2, o3, o4, o5, o6, o7;
        if (ASKS_AGAIN[0]) {
            ask();
        }
    }

    /**
     * Needs 16 kB of stack, and does nothing: for a call that moves something of its own, and then comes to a door that
     * asks.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public static void askForMore() {
        long a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0, aA = 0, aB = 0,
                aC = 0, aD = 0, aE = 0, aF = 0, aG = 0, aH = 0, aI = 0, aJ = 0, aK = 0, aL = 0, aM = 0, aN = 0,
                aO = 0, aP = 0, aQ = 0, aR = 0, aS = 0, aT = 0, aU = 0, aV = 0, aW = 0, aX = 0, aY = 0, aZ = 0,
                b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0, b8 = 0, b9 = 0, bA = 0, bB = 0,
                bC = 0, bD = 0, bE = 0, bF = 0, bG = 0, bH = 0, bI = 0, bJ = 0, bK = 0, bL = 0, bM = 0, bN = 0,
                bO = 0, bP = 0, bQ = 0, bR = 0, bS = 0, bT = 0, bU = 0, bV = 0, bW = 0, bX = 0, bY = 0, bZ = 0,
                c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0, c9 = 0, cA = 0, cB = 0,
                cC = 0, cD = 0, cE = 0, cF = 0, cG = 0, cH = 0, cI = 0, cJ = 0, cK = 0, cL = 0, cM = 0, cN = 0,
                cO = 0, cP = 0, cQ = 0, cR = 0, cS = 0, cT = 0, cU = 0, cV = 0, cW = 0, cX = 0, cY = 0, cZ = 0,
                d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0, d8 = 0, d9 = 0, dA = 0, dB = 0,
                dC = 0, dD = 0, dE = 0, dF = 0, dG = 0, dH = 0, dI = 0, dJ = 0, dK = 0, dL = 0, dM = 0, dN = 0,
                dO = 0, dP = 0, dQ = 0, dR = 0, dS = 0, dT = 0, dU = 0, dV = 0, dW = 0, dX = 0, dY = 0, dZ = 0,
                e0 = 0, e1 = 0, e2 = 0, e3 = 0, e4 = 0, e5 = 0, e6 = 0, e7 = 0, e8 = 0, e9 = 0, eA = 0, eB = 0,
                eC = 0, eD = 0, eE = 0, eF = 0, eG = 0, eH = 0, eI = 0, eJ = 0, eK = 0, eL = 0, eM = 0, eN = 0,
                eO = 0, eP = 0, eQ, eR, eS, eT, eU, eV, eW, eX, eY, eZ, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9,
                fA, fB, fC, fD, fE, fF, fG, fH, fI, fJ, fK, fL, fM, fN, fO, fP, fQ, fR, fS, fT, fU, fV, fW, fX,
                fY, fZ, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, gA, gB, gC, gD, gE, gF, gG, gH, gI, gJ, gK, gL,
                gM, gN, gO, gP, gQ, gR, gS, gT, gU, gV, gW, gX, gY, gZ, h0, h1, h2, h3, h4, h5, h6, h7, h8, h9,
                hA, hB, hC, hD, hE, hF, hG, hH, hI, hJ, hK, hL, hM, hN, hO, hP, hQ, hR, hS, hT, hU, hV, hW, hX,
                hY, hZ, i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, iA, iB, iC, iD, iE, iF, iG, iH, iI, iJ, iK, iL,
                iM, iN, iO, iP, iQ, iR, iS, iT, iU, iV, iW, iX, iY, iZ, j0, j1, j2, j3, j4, j5, j6, j7, j8, j9,
                jA, jB, jC, jD, jE, jF, jG, jH, jI, jJ, jK, jL, jM, jN, jO, jP, jQ, jR, jS, jT, jU, jV, jW, jX,
                jY, jZ, k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, kA, kB, kC, kD, kE, kF, kG, kH, kI, kJ, kK, kL,
                kM, kN, kO, kP, kQ, kR, kS, kT, kU, kV, kW, kX, kY, kZ, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9,
                lA, lB, lC, lD, lE, lF, lG, lH, lI, lJ, lK, lL, lM, lN, lO, lP, lQ, lR, lS, lT, lU, lV, lW, lX,
                lY, lZ, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, mA, mB, mC, mD, mE, mF, mG, mH, mI, mJ, mK, mL,
                mM, mN, mO, mP, mQ, mR, mS, mT, mU, mV, mW, mX, mY, mZ, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9,
                nA, nB, nC, nD, nE, nF, nG, nH, nI, nJ, nK, nL, nM, nN, nO, nP, nQ, nR, nS, nT, nU, nV, nW, nX,
                nY, nZ, o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, oA, oB, oC, oD, oE, oF, oG, oH, oI, oJ, oK, oL,
                oM, oN, oO, oP, oQ, oR, oS, oT, oU, oV, oW, oX, oY, oZ, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9,
                pA, pB, pC, pD, pE, pF, pG, pH, pI, pJ, pK, pL, pM, pN, pO, pP, pQ, pR, pS, pT, pU, pV, pW, pX,
                pY, pZ, q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qA, qB, qC, qD, qE, qF, qG, qH, qI, qJ, qK, qL,
                qM, qN, qO, qP, qQ, qR, qS, qT, qU, qV, qW, qX, qY, qZ, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9,
                rA, rB, rC, rD, rE, rF, rG, rH, rI, rJ, rK, rL, rM, rN, rO, rP, rQ, rR, rS, rT, rU, rV, rW, rX,
                rY, rZ, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sA, sB, sC, sD, sE, sF, sG, sH, sI, sJ, sK, sL,
                sM, sN, sO, sP, sQ, sR, sS, sT, sU, sV, sW, sX, sY, sZ, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9,
                tA, tB, tC, tD, tE, tF, tG, tH, tI, tJ, tK, tL, tM, tN, tO, tP, tQ, tR, tS, tT, tU, tV, tW, tX,
                tY, tZ, u0, u1, u2, u3, u4, u5, u6, u7, u8, u9, uA, uB, uC, uD, uE, uF, uG, uH, uI, uJ, uK, uL,
                uM, uN, uO, uP, uQ, uR, uS, uT, uU, uV, uW, uX, uY, uZ, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9,
                vA, vB, vC, vD, vE, vF, vG, vH, vI, vJ, vK, vL, vM, vN, vO, vP, vQ, vR, vS, vT, vU, vV, vW, vX,
                vY, vZ, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, wA, wB, wC, wD, wE, wF, wG, wH, wI, wJ, wK, wL,
                wM, wN, wO, wP, wQ, wR, wS, wT, wU, wV, wW, wX, wY, wZ, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9,
                xA, xB, xC, xD, xE, xF, xG, xH, xI, xJ, xK, xL, xM, xN, xO, xP, xQ, xR, xS, xT, xU, xV, xW, xX,
                xY, xZ, y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, yA, yB, yC, yD, yE, yF, yG, yH, yI, yJ, yK, yL,
                yM, yN, yO, yP, yQ, yR, yS, yT, yU, yV, yW, yX, yY, yZ, z0, z1, z2, z3, z4, z5, z6, z7, z8, z9,
                zA, zB, zC, zD, zE, zF, zG, zH, zI, zJ, zK, zL, zM, zN, zO, zP, zQ, zR, zS, zT, zU, zV, zW, zX,
                zY, zZ, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, AA, AB, AC, AD, AE, AF, AG, AH, AI, AJ, AK, AL,
                AM, AN, AO, AP, AQ, AR, AS, AT, AU, AV, AW, AX, AY, AZ, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9,
                BA, BB, BC, BD, BE, BF, BG, BH, BI, BJ, BK, BL, BM, BN, BO, BP, BQ, BR, BS, BT, BU, BV, BW, BX,
                BY, BZ, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, CA, CB, CC, CD, CE, CF;
        if (ASKS_AGAIN[0]) {
            askForMore();
        }
    }
}
// spotless:on
